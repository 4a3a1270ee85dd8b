package org.rddp.daemon.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.rddp.wire.Memory;

class CaptureRingTest {
  private static final int CAPACITY = 64 << 10;

  private final MemorySegment memory = Arena.ofAuto().allocate(CaptureRing.size(CAPACITY), 64);
  private final MemorySegment frame = Arena.ofAuto().allocate(10_000, 8);

  @Test
  void shouldHandOverFramesInOrderPastTheEndOfTheRing() {
    CaptureRing ring = new CaptureRing(memory);
    CaptureReader reader = new CaptureReader(memory);
    Random random = new Random(7);
    List<String> expected = new ArrayList<>();
    List<String> read = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      int length = 1 + random.nextInt(9000);
      frame.asSlice(0, length).fill((byte) i);
      ring.frame(i, frame.address(), length);
      expected.add(i + ":" + length + ":" + (byte) i);
      if (random.nextBoolean() || i % 4 == 3) {
        reader.poll((time, at, n) -> read.add(text(time, at, n)), Integer.MAX_VALUE);
      }
    }
    reader.poll((time, at, n) -> read.add(text(time, at, n)), Integer.MAX_VALUE);

    assertThat(read).isEqualTo(expected);
    assertThat(reader.dropped()).isZero();
  }

  private static String text(long time, long at, int length) {
    return time + ":" + length + ":" + (byte) Memory.getByte(at + length - 1);
  }

  @Test
  void shouldDropAndCountWhenNobodyReads() {
    CaptureRing ring = new CaptureRing(memory);
    CaptureReader reader = new CaptureReader(memory);
    for (int i = 0; i < 100; i++) {
      ring.frame(i, frame.address(), 1008);
    }

    assertThat(reader.dropped()).isEqualTo(100 - CAPACITY / 1024).isEqualTo(ring.dropped());
    assertThat(reader.poll((time, at, n) -> {}, 1000)).isEqualTo(CAPACITY / 1024);
  }

  @Test
  void shouldStayWithinItsMemoryWhateverTheReaderWrites() {
    CaptureRing ring = new CaptureRing(memory);
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      memory.set(ValueLayout.JAVA_LONG, CaptureLayout.HEAD_OFFSET, random.nextLong());
      memory.set(ValueLayout.JAVA_LONG, CaptureLayout.TAIL_OFFSET, random.nextLong());
      memory.set(ValueLayout.JAVA_LONG, CaptureLayout.CAPACITY_OFFSET, random.nextLong());
      ring.frame(i, frame.address(), random.nextInt(9000));
    }

    assertThat(ring.dropped()).isPositive();
  }

  @Test
  void shouldRefuseMemoryThatHoldsNoCapture() {
    assertThatThrownBy(() -> new CaptureReader(memory))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
