package org.rddp.ddp.receiving;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.DdpFixture;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.SegmentHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.wire.Memory;

class UntaggedQueueTest {
  private final UntaggedQueue queue = new UntaggedQueue(4, 0xffff_fffe);

  private void post(int buffers) {
    for (int i = 0; i < buffers; i++) {
      assertThat(queue.post(new StreamRequest(i).memory(1000, 10))).isTrue();
    }
  }

  @Test
  void shouldTakeNoMoreThanItsDepth() {
    post(4);
    assertThat(queue.post(new StreamRequest(4).memory(1000, 10))).isFalse();
  }

  @Test
  @Tag("DDP-7.1-09")
  @Tag("DDP-4.3-08")
  void shouldAllowTheNumbersOfPostedBuffersAcrossTheWrap() {
    post(3);
    assertThat(queue.refusal(0xffff_fffd)).isEqualTo(DdpError.MSN_RANGE);
    assertThat(queue.refusal(0xffff_fffe)).isNull();
    assertThat(queue.refusal(0xffff_ffff)).isNull();
    assertThat(queue.refusal(0)).isNull();
    assertThat(queue.refusal(1)).isEqualTo(DdpError.NO_BUFFER);
    assertThat(queue.buffer(0).token()).isEqualTo(2);
  }

  @Test
  @Tag("DDP-7.1-09")
  void shouldMoveTheRangeAsBuffersAreUsedUp() {
    post(2);
    SegmentHeader header = new SegmentHeader();
    byte[] segment = HexFormat.of().parseHex(DdpFixture.untagged(0x41, 0, 0xffff_fffe, 0, "01"));
    try (Arena arena = Arena.ofConfined()) {
      long address = arena.allocate(segment.length).address();
      Memory.copy(segment, 0, address, segment.length);
      header.read(Ulpdu.of(0, address, segment.length));
    }
    queue.buffer(0xffff_fffe).placed(header);
    assertThat(queue.deliverable()).isTrue();
    assertThat(queue.removeFirst().token()).isZero();
    assertThat(queue.refusal(0xffff_fffe)).isEqualTo(DdpError.MSN_RANGE);
    assertThat(queue.refusal(0xffff_ffff)).isNull();
    assertThat(queue.refusal(0)).isEqualTo(DdpError.NO_BUFFER);
  }
}
