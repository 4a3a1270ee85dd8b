package org.rddp.crc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ThresholdSearchTest {
  private static final int LEAST = 4096;
  private static final int LONGEST = 16384;
  private static final int STEP = 512;

  /** Time of a way that takes as long for each octet. */
  private static long otherwise(int length) {
    return 10L * length;
  }

  private static long least(ThresholdSearch.Measurement one, ThresholdSearch.Measurement other) {
    return new ThresholdSearch(one, other, () -> {}).least(LEAST, LONGEST, STEP);
  }

  @Test
  void shouldFindTheLengthFromWhichMoreThanTheMarginIsWon() {
    long found =
        least(
            length -> length < 8192 ? 95L * length / 10 : 8L * length, length -> otherwise(length));
    assertThat(found).isEqualTo(8192);
  }

  @Test
  void shouldFindNoneWhereLittleIsWon() {
    assertThat(least(length -> 92L * length / 10, length -> otherwise(length)))
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldFindTheLeastThatIsTriedWhereAllWin() {
    assertThat(least(length -> 5L * length, length -> otherwise(length))).isEqualTo(LEAST);
  }

  @Test
  void shouldNotBeMisledByTurnsThatWereDisturbed() {
    Random random = new Random(1);
    ThresholdSearch.Measurement one =
        length -> (length < 8192 ? otherwise(length) : 8L * length) * disturbed(random);
    ThresholdSearch.Measurement other = length -> otherwise(length) * disturbed(random);
    assertThat(least(one, other)).isEqualTo(8192);
  }

  /** One measurement in three is too long. */
  private static int disturbed(Random random) {
    return Math.max(1, random.nextInt(6) - 2);
  }

  @Test
  void shouldNotBeMisledByAPassThatWasDisturbed() {
    int[] turns = new int[1];
    int pass = ((LONGEST - LEAST) / STEP + 1) * ThresholdSearch.ROUNDS;
    ThresholdSearch.Measurement one =
        length -> (length < 8192 ? otherwise(length) : 8L * length) * (turns[0]++ < pass ? 3 : 1);
    assertThat(least(one, length -> otherwise(length))).isEqualTo(8192);
  }
}
