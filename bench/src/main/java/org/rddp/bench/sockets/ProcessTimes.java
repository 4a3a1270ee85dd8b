package org.rddp.bench.sockets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU times of processes in ns, from {@code /proc/PID/stat} (proc(5)): in steps of 10 ms.
 *
 * @param user in user space
 * @param system in the kernel
 */
record ProcessTimes(double user, double system) {
  /** Ns of a tick: USER_HZ is 100 on all of Linux's processors that rddp runs on. */
  private static final double TICK = 1e7;

  /** Fields behind the command's name: utime is the 14th of all, cutime the 16th. */
  private static final int UTIME = 11;

  private static final int CUTIME = 13;

  /** Times of a process. */
  static ProcessTimes of(long pid) throws IOException {
    return read(Path.of("/proc", Long.toString(pid), "stat"), UTIME);
  }

  /** Times of the children of this process that have ended. */
  static ProcessTimes ofEndedChildren() throws IOException {
    return read(Path.of("/proc/self/stat"), CUTIME);
  }

  private static ProcessTimes read(Path file, int from) throws IOException {
    String line = Files.readString(file);
    String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
    return new ProcessTimes(
        Long.parseLong(fields[from]) * TICK, Long.parseLong(fields[from + 1]) * TICK);
  }

  ProcessTimes less(ProcessTimes earlier) {
    return new ProcessTimes(user - earlier.user, system - earlier.system);
  }
}
