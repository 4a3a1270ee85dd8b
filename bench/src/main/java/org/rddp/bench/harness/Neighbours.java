package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.rddp.rig.Affinity;

/**
 * Busy threads of somebody else: processes that loop for ever, one thread each, on any core, with
 * the priority of this process. They are children of a rig's process, so that they are stopped with
 * it while others are measured, and their CPU time counts as the benchmark's own. The kernel ends
 * them with the thread that started them, however that ends. Not for use by several threads.
 */
final class Neighbours implements AutoCloseable {
  /** Key of a task: how many are busy beside it, 0 or more. */
  static final String COUNT = "neighbours";

  private static final String LOOP = "while :; do :; done";

  private final List<Process> processes = new ArrayList<>();
  private final long began = System.nanoTime();

  private Neighbours() {}

  /**
   * Starts as many as a task asks for.
   *
   * @throws IOException when a process cannot be started; then none is left
   */
  static Neighbours of(JsonObject task) throws IOException {
    int count = Json.integer(task, COUNT, 0);
    Neighbours started = new Neighbours();
    try {
      for (int i = 0; i < count; i++) {
        started.processes.add(
            new ProcessBuilder(command())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
      }
    } catch (IOException e) {
      started.close();
      throw e;
    }
    return started;
  }

  /** The calling thread may be pinned to a CPU, which its children would inherit. */
  private static List<String> command() throws IOException {
    String cpus =
        Arrays.stream(Affinity.ofProcess())
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(","));
    return List.of(
        "taskset", "--cpu-list", cpus, "setpriv", "--pdeathsig", "KILL", "sh", "-c", LOOP);
  }

  /**
   * The CPUs that all of them together have had so far: CPU time over time.
   *
   * @throws IOException when one has ended by itself
   */
  double cpus() throws IOException {
    Duration ran = Duration.ZERO;
    for (Process each : processes) {
      if (!each.isAlive()) {
        throw new IOException("a busy neighbour ended with code " + each.exitValue());
      }
      ran = ran.plus(each.info().totalCpuDuration().orElse(Duration.ZERO));
    }
    return (double) ran.toNanos() / (System.nanoTime() - began);
  }

  /** Ends all, and waits until they have ended. */
  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
    processes.forEach(each -> each.onExit().join());
  }
}
