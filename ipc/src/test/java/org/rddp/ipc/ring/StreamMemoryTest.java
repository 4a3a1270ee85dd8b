package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.rddp.ipc.linux.SharedMemory;

class StreamMemoryTest {
  private static final int FIRST = 1 << 16;

  /** The kernel limits how many mappings the daemon has, and a daemon has many streams. */
  @Test
  void shouldBeOneMappingOfTheDaemon() throws Exception {
    try (StreamMemory memory = StreamMemory.create(1 << 16, 1 << 20)) {
      memory.allocate();
      String place = "/proc/self/fd/" + memory.descriptor().number();
      String file = Files.getAttribute(Path.of(place), "unix:ino").toString();
      assertThat(Files.readAllLines(Path.of("/proc/self/maps")))
          .filteredOn(line -> line.contains(" " + file + " "))
          .hasSize(1);
    }
  }

  @Test
  void shouldBeAsNewForTheNextStream() throws Exception {
    assumeThat(SharedMemory.canBeImmutable()).isTrue();
    try (StreamMemory memory = StreamMemory.create(FIRST, 1 << 20)) {
      memory.allocate();
      use(memory);
      assertThat(memory.renew(FIRST)).isTrue();
      byte[] all = new byte[StreamHeader.OCTETS + FIRST];
      MemorySegment segment = MemorySegment.ofAddress(memory.address()).reinterpret(all.length);
      assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(all);
    }
  }

  /** As a program and the daemon do: it fills both rings, beyond their end. */
  private static void use(StreamMemory memory) {
    memory.header().write(1, 2, memory.sending(), memory.receiving());
    memory.header().addProgramFlags(StreamHeader.MAPPED);
    memory.header().write(0, 2L * FIRST);
    memory.header().received(FIRST / 2);
    MemorySegment.ofAddress(memory.sending().address(0)).reinterpret(FIRST).fill((byte) 'x');
    MemorySegment.ofAddress(memory.receiving().address(0)).reinterpret(FIRST / 2).fill((byte) 'x');
  }

  @Test
  void shouldNotBeUsedAgainOnceItHasGrown() throws Exception {
    assumeThat(SharedMemory.canBeImmutable()).isTrue();
    try (StreamMemory memory = StreamMemory.create(FIRST, 1 << 20)) {
      memory.allocate();
      memory.allocate(memory.receiving());
      assertThat(memory.renew(FIRST)).isFalse();
    }
  }
}
