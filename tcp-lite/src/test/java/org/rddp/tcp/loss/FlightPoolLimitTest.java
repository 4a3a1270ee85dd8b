package org.rddp.tcp.loss;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.rddp.device.NativePacketPool;

/** What a pool keeps of the arrays that it has lent. */
class FlightPoolLimitTest {
  private final FlightPool pool =
      new FlightPool(new NativePacketPool(16, 2048), new LossCounters());

  /** Arrays that have grown to so many slots, as those of a queue do. */
  private SegmentArrays grown(int capacity) {
    SegmentArrays arrays = pool.smallest();
    while (arrays.capacity < capacity) {
      arrays = pool.grow(arrays, 0);
    }
    return arrays;
  }

  @Test
  void shouldKeepThoseOfALongFlight() {
    SegmentArrays used = grown(65_536);
    pool.release(used);
    assertThat(grown(65_536)).isSameAs(used);
  }

  @Test
  void shouldNotKeepMoreForGood() {
    SegmentArrays used = grown(262_144);
    pool.release(used);
    assertThat(grown(262_144)).isNotSameAs(used);
  }

  @Test
  void shouldLimitThoseOfSeveralFlightsTogether() {
    SegmentArrays first = grown(65_536);
    SegmentArrays second = grown(65_536);
    pool.release(first);
    pool.release(second);
    assertThat(grown(65_536)).isSameAs(first);
    assertThat(grown(65_536)).isNotSameAs(second);
  }

  @Test
  void shouldKeepAllShortOnes() {
    SegmentArrays[] used = new SegmentArrays[1000];
    for (int i = 0; i < used.length; i++) {
      used[i] = grown(1024);
    }
    for (SegmentArrays arrays : used) {
      pool.release(arrays);
    }
    for (int i = used.length - 1; i >= 0; i--) {
      assertThat(grown(1024)).isIn((Object[]) used);
    }
  }
}
