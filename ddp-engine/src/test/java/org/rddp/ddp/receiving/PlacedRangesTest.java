package org.rddp.ddp.receiving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Ranges against a set of single octets. */
class PlacedRangesTest {
  private final PlacedRanges ranges = new PlacedRanges();

  @Test
  void shouldKnowWhatIsMissingAsASetOfOctetsWould() {
    SplittableRandom random = new SplittableRandom(14);
    for (int life = 0; life < 2000; life++) {
      ranges.clear();
      BitSet octets = new BitSet();
      for (int i = 0; i < 12; i++) {
        int from = random.nextInt(100);
        int to = from + 1 + random.nextInt(20);
        BitSet after = (BitSet) octets.clone();
        after.set(from, to);
        assertThat(ranges.completeWith(from, to))
            .as("octets %s and %d to %d", octets, from, to)
            .isEqualTo(after.nextClearBit(0) >= to && after.nextClearBit(0) >= octets.length());
        ranges.add(from, to);
        octets = after;
        assertThat(ranges.end()).isEqualTo(octets.length());
      }
    }
  }

  @Test
  void shouldBoundTheGaps() {
    for (long i = 1; i <= PlacedRanges.MOST; i++) {
      assertThat(ranges.hasRoom()).isTrue();
      ranges.add(2 * i, 2 * i + 1);
    }
    assertThat(ranges.hasRoom()).isFalse();
  }

  @Test
  void shouldStayOneRangeInOrder() {
    for (long i = 0; i < 1000; i++) {
      assertThat(ranges.completeWith(10 * i, 10 * i + 10)).isTrue();
      ranges.add(10 * i, 10 * i + 10);
    }
    assertThat(ranges.hasRoom()).isTrue();
    assertThat(ranges.end()).isEqualTo(10_000);
  }
}
