package org.rddp.ipc.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StreamMemoryTest {
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
}
