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
  /** The trial of vectors, which waits while there is traffic, and ends. */
  private static final String TRIAL = "rddp-vectors";

  /** Prefixes of the threads' names in the kernel, which keeps 15 letters. */
  private static final List<String> NAMES = List.of("C1 Compiler", "C2 Compiler", TRIAL);

  private BackgroundWork() {}

  /** CPU time of all such threads that are alive, in ns. */
  static long nanos() {
    return threads()
        .filter(each -> NAMES.stream().anyMatch(name(each)::startsWith))
        .mapToLong(BackgroundWork::ranNanos)
        .sum();
  }

  /** Whether a daemon's trial has not ended. */
  static boolean isTrying() {
    return threads().anyMatch(each -> name(each).startsWith(TRIAL));
  }

  /** The folders in /proc of the threads of this process and its children. */
  private static Stream<Path> threads() {
    ProcessHandle us = ProcessHandle.current();
    return Stream.concat(Stream.of(us), us.descendants())
        .flatMap(each -> threads(Path.of("/proc", Long.toString(each.pid()), "task")).stream());
  }

  private static List<Path> threads(Path ofProcess) {
    try (Stream<Path> all = Files.list(ofProcess)) {
      return all.toList();
    } catch (IOException e) {
      return List.of(); // The process has ended.
    }
  }

  private static String name(Path thread) {
    return read(thread.resolve("comm"));
  }

  private static long ranNanos(Path thread) {
    return ranNanos(read(thread.resolve("schedstat")));
  }

  /** The contents of a file; empty if the thread has ended. */
  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }

  /** The first figure of a thread's schedstat: ns on a CPU. */
  static long ranNanos(String schedstat) {
    int space = schedstat.indexOf(' ');
    return space < 0 ? 0 : Long.parseLong(schedstat.substring(0, space));
  }
}
