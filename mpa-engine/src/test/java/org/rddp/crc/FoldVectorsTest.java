package org.rddp.crc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FoldVectorsTest {
  private static final int[] DISTANCES = {128, 453, 487, 576, 690};

  /** By long division, which shares no code with the class under test. */
  @Test
  void shouldFoldByAMultipleOfThePolynomial() {
    int longest = 690;
    boolean[] coefficients = new boolean[8 * longest + 1];
    coefficients[8 * longest] = true;
    for (int distance : DISTANCES) {
      coefficients[8 * (longest - distance)] ^= true;
    }
    for (int power = 8 * longest; power >= 32; power--) {
      if (coefficients[power]) {
        for (int bit = 0; bit <= 32; bit++) {
          coefficients[power - bit] ^= (0x11edc6f41L >>> (32 - bit) & 1) != 0;
        }
      }
    }
    assertThat(coefficients).containsOnly(false);
  }

  @Test
  void shouldReachNoFurtherThanTheWindow() {
    for (int distance : DISTANCES) {
      assertThat(distance).isBetween(FoldVectors.VECTOR, FoldVectors.WINDOW);
    }
  }
}
