package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StreamRingTest {
  private static final int SHORT = 8;
  private static final int LONG = 32;

  @Test
  void shouldGetLongerOnlyWhileItsOctetsStayWhereTheyAre() {
    for (long from = 0; from < 2 * LONG; from++) {
      for (long to = from; to <= from + SHORT; to++) {
        StreamRing ring = new StreamRing(0, LONG, SHORT);
        boolean stay = true;
        for (long at = from; at < to; at++) {
          stay &= ring.offset(at) == (at & (LONG - 1));
        }
        assertThat(ring.canUse(LONG, from, to)).isEqualTo(stay);
      }
    }
  }

  @Test
  void shouldHaveNoLengthThatItCannotHave() {
    StreamRing ring = new StreamRing(1000, LONG, SHORT);
    for (int octets : new int[] {SHORT / 2, 24, 2 * LONG, 0, -1, Integer.MIN_VALUE}) {
      assertThat(ring.use(octets)).isFalse();
      assertThat(ring.octets()).isEqualTo(SHORT);
    }
    assertThat(ring.use(LONG)).isTrue();
    assertThat(ring.address(LONG + 30)).isEqualTo(1030);
    assertThat(ring.inRow(LONG + 30)).isEqualTo(2);
  }
}
