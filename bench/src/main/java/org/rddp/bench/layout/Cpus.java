package org.rddp.bench.layout;

import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.rddp.rig.Affinity;

/** The two CPUs of all contenders, whichever of them the calling thread has been pinned to. */
public final class Cpus {
  private Cpus() {}

  /** The CPU of the other end, or of the engine. */
  public static int far() throws IOException {
    return Affinity.ofProcess()[0];
  }

  /** The CPU of the thread that measures. */
  public static int near() throws IOException {
    int[] cpus = Affinity.ofProcess();
    return cpus[cpus.length - 1];
  }

  /** Those that the calling thread may use, as taskset's option -c takes them. */
  public static String allowed() throws IOException {
    return IntStream.of(Affinity.allowed())
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(","));
  }
}
