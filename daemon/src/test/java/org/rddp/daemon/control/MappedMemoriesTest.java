package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCall;

class MappedMemoriesTest {
  private static final SystemCall OPEN = SystemCall.bind("open", "i:li");
  private static final long OCTETS = 1 << 20;

  /** How often this process has a memory mapped. */
  private static long mappings(String name) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(each -> each.contains("/memfd:" + name)).count();
    }
  }

  @Test
  void shouldTakeEachMemoryOnce() throws IOException {
    try (MappedMemories memories = new MappedMemories();
        SharedMemory program = SharedMemory.create("taken", OCTETS)) {
      program.segment().set(ValueLayout.JAVA_BYTE, OCTETS - 1, (byte) 42);
      memories.map(program.descriptor().duplicate());
      MappedMemories.Mapped taken = memories.take(program.descriptor().duplicate());
      assertThat(taken.memory().length()).isEqualTo(OCTETS);
      assertThat(taken.memory().segment().get(ValueLayout.JAVA_BYTE, OCTETS - 1))
          .isEqualTo((byte) 42);
      assertThat(memories.take(program.descriptor())).isNull();
      assertThat(mappings("taken")).isEqualTo(2);
      taken.memory().close();
      assertThat(mappings("taken")).isEqualTo(1);
    }
  }

  @Test
  void shouldNotTakeAnotherMemory() throws IOException {
    try (MappedMemories memories = new MappedMemories();
        SharedMemory mapped = SharedMemory.create("mapped", OCTETS);
        SharedMemory other = SharedMemory.create("other", OCTETS)) {
      memories.map(mapped.descriptor().duplicate());
      assertThat(memories.take(other.descriptor())).isNull();
      assertThat(other.descriptor().isOpen()).isTrue();
    }
  }

  @Test
  void shouldUnmapWhatCannotBeTaken() throws IOException {
    try (MappedMemories memories = new MappedMemories();
        SharedMemory program = SharedMemory.create("read", OCTETS);
        Arena arena = Arena.ofConfined()) {
      String path = "/proc/self/fd/" + program.descriptor().number();
      Descriptor forReading = Descriptor.of(OPEN.call(arena.allocateFrom(path).address(), 0));
      memories.map(program.descriptor().duplicate());
      assertThat(memories.take(forReading)).isNull();
      forReading.close();
      assertThat(mappings("read")).isEqualTo(1);
    }
  }

  @Test
  void shouldUnmapWhatNobodyTakes() throws IOException {
    try (SharedMemory program = SharedMemory.create("left", OCTETS)) {
      try (MappedMemories memories = new MappedMemories()) {
        memories.map(program.descriptor().duplicate());
        assertThat(mappings("left")).isEqualTo(2);
      }
      assertThat(mappings("left")).isEqualTo(1);
    }
  }

  @Test
  void shouldLeaveMemoryThatCannotBeMapped() throws IOException {
    try (MappedMemories memories = new MappedMemories();
        SharedMemory sealed = SharedMemory.create("sealed", OCTETS)) {
      sealed.seal();
      memories.map(sealed.descriptor().duplicate());
      assertThat(memories.take(sealed.descriptor())).isNull();
    }
  }
}
