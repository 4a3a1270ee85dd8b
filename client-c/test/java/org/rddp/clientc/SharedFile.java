package org.rddp.clientc;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Memory that a program in C maps, too. */
final class SharedFile {
  private SharedFile() {}

  /** Maps a new file of so many octets, all zero. */
  static MemorySegment map(Path file, long octets, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, octets, arena);
    }
  }

  /** Lets the program go on; the test's timeout interrupts. */
  @SuppressWarnings("ThreadPriorityCheck") // two cores: the other end may need this one
  static void yieldUnlessInterrupted() {
    if (Thread.currentThread().isInterrupted()) {
      throw new AssertionError("the program does not go on");
    }
    Thread.yield();
  }
}
