package org.rddp.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * CPU time of the threads that still make this process and its children faster: HotSpot's
 * compilers, and the daemon's trial of CRC vectors.
 */
final class BackgroundWork {
  /** Prefixes of the threads' names in the kernel, which keeps 15 letters. */
  private static final List<String> NAMES = List.of("C1 Compiler", "C2 Compiler", "rddp-vectors");

  private BackgroundWork() {}

  /** CPU time of all such threads that are alive, in ns. */
  static long nanos() {
    ProcessHandle us = ProcessHandle.current();
    return Stream.concat(Stream.of(us), us.descendants())
        .mapToLong(each -> nanos(Path.of("/proc", Long.toString(each.pid()), "task")))
        .sum();
  }

  private static long nanos(Path threads) {
    try (Stream<Path> all = Files.list(threads)) {
      return all.mapToLong(BackgroundWork::threadNanos).sum();
    } catch (IOException e) {
      // The process has ended.
      return 0;
    }
  }

  private static long threadNanos(Path thread) {
    try {
      String name = Files.readString(thread.resolve("comm"));
      return NAMES.stream().anyMatch(name::startsWith)
          ? ranNanos(Files.readString(thread.resolve("schedstat")))
          : 0;
    } catch (IOException e) {
      // The thread has ended.
      return 0;
    }
  }

  /** The first figure of a thread's schedstat: ns on a CPU. */
  static long ranNanos(String schedstat) {
    int space = schedstat.indexOf(' ');
    return space < 0 ? 0 : Long.parseLong(schedstat.substring(0, space));
  }
}
