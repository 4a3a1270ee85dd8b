package org.rddp.daemon.packet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which frames the kernel is asked to hold in one piece of memory. */
class FrameMemoryTest {
  private static final int LONG = 63_778;

  private final FrameMemory memory = new FrameMemory();

  @Test
  void shouldHoldLongFramesInOnePiece() {
    assertThat(memory.isWhole(1514)).isFalse();
    assertThat(memory.isWhole(FrameMemory.PIECE)).isFalse();
    assertThat(memory.isWhole(FrameMemory.PIECE + 1)).isTrue();
    assertThat(memory.isWhole(LONG)).isTrue();
  }

  @Test
  void shouldUsePiecesForAWhileWhenTheKernelLacksMemory() {
    memory.lacking();
    assertThat(memory.isWhole(1514)).isFalse();
    for (int i = 0; i < FrameMemory.PAUSE; i++) {
      assertThat(memory.isWhole(LONG)).isFalse();
    }
    assertThat(memory.isWhole(LONG)).isTrue();
  }
}
