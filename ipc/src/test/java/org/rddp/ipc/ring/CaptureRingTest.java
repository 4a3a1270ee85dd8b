package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.rddp.ipc.linux.SharedMemory;

class CaptureRingTest {
  private final MemorySegment frame = Arena.ofAuto().allocate(4096);

  @Test
  void shouldWrapFramesAroundTheRingsEnd() throws IOException {
    Random random = new Random(3);
    try (CaptureRing daemon = CaptureRing.create(4096, 1000);
        CaptureRing program = CaptureRing.open(daemon.descriptor().duplicate())) {
      for (int i = 0; i < 2000; i++) {
        int length = random.nextInt(1, 1500);
        frame.fill((byte) i);
        daemon.offer(i, frame.address(), length);
        int number = i;
        int read =
            program.poll(
                (time, original, octets) -> {
                  assertThat(time).isEqualTo(number);
                  assertThat(original).isEqualTo(length);
                  assertThat(octets.byteSize()).isEqualTo(Math.min(length, 1000));
                  assertThat(octets.mismatch(frame.asSlice(0, octets.byteSize()))).isEqualTo(-1);
                },
                10);
        assertThat(read).isEqualTo(1);
      }
      assertThat(program.lost()).isZero();
    }
  }

  @Test
  void shouldCountFramesThatDoNotFit() throws IOException {
    try (CaptureRing daemon = CaptureRing.create(4096, 65_535);
        CaptureRing program = CaptureRing.open(daemon.descriptor().duplicate())) {
      for (int i = 0; i < 10; i++) {
        daemon.offer(i, frame.address(), 1000);
      }
      List<Long> times = new ArrayList<>();
      assertThat(program.poll((time, original, octets) -> times.add(time), 2)).isEqualTo(2);
      assertThat(program.poll((time, original, octets) -> times.add(time), 100)).isEqualTo(2);
      assertThat(times).containsExactly(0L, 1L, 2L, 3L);
      assertThat(program.lost()).isEqualTo(6);
      daemon.offer(11, frame.address(), 4080);
      assertThat(program.poll((time, original, octets) -> times.add(time), 2)).isEqualTo(1);
      daemon.offer(12, frame.address(), 4081);
      assertThat(program.lost()).isEqualTo(7);
    }
  }

  /** It does not matter what the program writes into the header. */
  @Test
  void shouldGoOnWithTheRingOfAnotherDaemon() throws IOException {
    try (CaptureRing daemon = CaptureRing.create(4096, 1000);
        CaptureRing program = CaptureRing.open(daemon.descriptor().duplicate());
        SharedMemory header = SharedMemory.map(daemon.descriptor().duplicate())) {
      List<Long> times = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        daemon.offer(i, frame.address(), 1200);
        program.poll((time, original, octets) -> times.add(time), i / 2);
      }
      header.segment().asSlice(0, 128).fill((byte) -1);
      SharedMemory memory = SharedMemory.map(daemon.descriptor().duplicate());
      try (CaptureRing next = CaptureRing.inherit(memory, 4096, 1000, daemon.positions())) {
        for (int i = 6; i < 12; i++) {
          next.offer(i, frame.address(), 1200);
          program.poll((time, original, octets) -> times.add(time), 2);
        }
      }
      assertThat(times).hasSizeGreaterThan(8).isSorted().doesNotHaveDuplicates();
      assertThat(times.size() + program.lost()).isEqualTo(12);
    }
  }

  @Test
  void shouldRefusePositionsThatNoRingHas() throws IOException {
    try (CaptureRing daemon = CaptureRing.create(4096, 1000)) {
      for (CaptureRing.Positions wrong :
          List.of(
              new CaptureRing.Positions(8, 16, 0),
              new CaptureRing.Positions(8, -8, 0),
              new CaptureRing.Positions(9, 0, 0),
              new CaptureRing.Positions(4104, 0, 0))) {
        SharedMemory memory = SharedMemory.map(daemon.descriptor().duplicate());
        assertThatThrownBy(() -> CaptureRing.inherit(memory, 4096, 1000, wrong))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  @Test
  void shouldIgnoreAnInvalidReadPosition() throws IOException {
    try (CaptureRing daemon = CaptureRing.create(4096, 65_535);
        SharedMemory memory = SharedMemory.map(daemon.descriptor().duplicate())) {
      for (long claim : new long[] {Long.MAX_VALUE, -1, 1 << 20}) {
        memory.segment().set(ValueLayout.JAVA_LONG, 256, claim);
        for (int i = 0; i < 10; i++) {
          daemon.offer(i, frame.address(), 1000);
        }
      }
      assertThat(daemon.lost()).isEqualTo(26);
    }
  }

  @Test
  void shouldRejectAMalformedRing() throws IOException {
    try (CaptureRing daemon = CaptureRing.create(4096, 100);
        CaptureRing program = CaptureRing.open(daemon.descriptor().duplicate());
        SharedMemory memory = SharedMemory.map(daemon.descriptor().duplicate())) {
      daemon.offer(1, frame.address(), 50);
      memory.segment().set(ValueLayout.JAVA_INT, 520, 101);
      assertThatThrownBy(() -> program.poll((time, original, octets) -> {}, 1))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("garbage");
    }
  }

  @Test
  void shouldRejectInvalidSizes() {
    assertThatThrownBy(() -> CaptureRing.create(4097, 100))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CaptureRing.create(4096, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(CaptureRing.isValid(1 << 20, 65_535)).isTrue();
    assertThat(CaptureRing.isValid(2048, 100)).isFalse();
  }
}
