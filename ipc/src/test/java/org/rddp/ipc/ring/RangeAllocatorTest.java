package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RangeAllocatorTest {
  @Test
  void shouldAlignAndFill() {
    RangeAllocator ranges = new RangeAllocator(256, 64);
    assertThat(ranges.allocate(1)).isEqualTo(0);
    assertThat(ranges.allocate(65)).isEqualTo(64);
    assertThat(ranges.allocate(128)).isEqualTo(-1);
    assertThat(ranges.allocate(64)).isEqualTo(192);
    assertThat(ranges.allocate(1)).isEqualTo(-1);
    assertThat(ranges.length(64)).isEqualTo(128);
    assertThat(ranges.free(64)).isEqualTo(128);
    assertThat(ranges.free(64)).isZero();
    assertThat(ranges.allocate(128)).isEqualTo(64);
  }

  @Test
  void shouldTellWhetherOctetsLieWithinOneAllocatedRange() {
    RangeAllocator ranges = new RangeAllocator(256, 64);
    ranges.allocate(128);
    ranges.allocate(64);
    assertThat(ranges.isTaken(0, 128)).isTrue();
    assertThat(ranges.isTaken(1, 127)).isTrue();
    assertThat(ranges.isTaken(128, 64)).isTrue();
    assertThat(ranges.isTaken(0, 129)).isFalse();
    assertThat(ranges.isTaken(1, 128)).isFalse();
    assertThat(ranges.isTaken(192, 1)).isFalse();
    assertThat(ranges.isTaken(-1, 1)).isFalse();
    assertThat(ranges.isTaken(0, 0)).isFalse();
    assertThat(ranges.isTaken(64, Long.MAX_VALUE)).isFalse();
    assertThat(ranges.isTaken(Long.MAX_VALUE, Long.MAX_VALUE)).isFalse();
    ranges.free(0);
    assertThat(ranges.isTaken(0, 1)).isFalse();
    assertThat(ranges.isTaken(128, 64)).isTrue();
  }

  @Test
  void shouldTakeCertainRanges() {
    RangeAllocator ranges = new RangeAllocator(512, 64);
    assertThat(ranges.take(128, 64)).isTrue();
    assertThat(ranges.take(0, 64)).isTrue();
    assertThat(ranges.take(448, 64)).isTrue();
    for (long[] wrong :
        new long[][] {{128, 64}, {64, 128}, {64, 32}, {96, 64}, {64, 0}, {-64, 64}, {448, 128}}) {
      assertThat(ranges.take(wrong[0], wrong[1])).as("%d %d", wrong[0], wrong[1]).isFalse();
    }
    assertThat(ranges.ranges()).containsExactly(entry(0L, 64L), entry(128L, 64L), entry(448L, 64L));
    assertThat(ranges.allocate(256)).isEqualTo(192);
    assertThat(ranges.allocate(64)).isEqualTo(64);
    assertThat(ranges.allocate(1)).isEqualTo(-1);
    List.of(192L, 0L, 64L, 448L, 128L).forEach(ranges::free);
    assertThat(ranges.allocate(512)).isZero();
  }

  @Test
  void shouldRejectInvalidSizes() {
    RangeAllocator ranges = new RangeAllocator(256, 64);
    assertThat(ranges.allocate(0)).isEqualTo(-1);
    assertThat(ranges.allocate(-1)).isEqualTo(-1);
    assertThat(ranges.allocate(Long.MAX_VALUE)).isEqualTo(-1);
    assertThat(ranges.isEmpty()).isTrue();
  }

  @Test
  void shouldJoinFreedRangesInAnyOrder() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      RangeAllocator ranges = new RangeAllocator(1 << 16, 64);
      List<long[]> taken = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        long octets = random.nextInt(1, 4000);
        long offset = ranges.allocate(octets);
        if (offset < 0 || random.nextInt(3) == 0) {
          if (!taken.isEmpty()) {
            ranges.free(taken.remove(random.nextInt(taken.size()))[0]);
          }
        }
        if (offset >= 0) {
          for (long[] other : taken) {
            assertThat(offset + octets <= other[0] || other[0] + other[1] <= offset).isTrue();
          }
          taken.add(new long[] {offset, octets});
        }
      }
      taken.forEach(range -> ranges.free(range[0]));
      assertThat(ranges.isEmpty()).isTrue();
      assertThat(ranges.allocate(1 << 16)).isZero();
    }
  }
}
