package org.rddp.daemon.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class XdpSocketTest {
  @Test
  void shouldCountLostFramesOnceAndNoEmptyFillRing() {
    // rx_dropped, rx_invalid_descs, tx_invalid_descs, rx_ring_full, rx_fill_ring_empty_descs,
    // tx_ring_empty_descs
    long[] counts = {1, 2, 4, 8, 16, 32};

    assertThat(XdpSocket.dropped(MemorySegment.ofArray(counts))).isEqualTo(9);
  }
}
