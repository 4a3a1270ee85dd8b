package org.rddp.daemon;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.EngineConfiguration;
import org.rddp.daemon.configuration.EngineThreads;
import org.rddp.daemon.configuration.IdleMode;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.configuration.MachineException;
import org.rddp.daemon.configuration.MachineProblem;
import org.rddp.daemon.configuration.ThreadPriority;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.ipc.linux.TimeSlice;

/** Gives engine threads their processors and their priority. */
final class EnginePlacement {
  private static final String TABLE = "engine";

  private final EngineConfiguration engine;

  EnginePlacement(EngineConfiguration engine) {
    this.engine = engine;
  }

  /**
   * Moves the calling thread to its processor and sets its priority.
   *
   * @param number of the engine thread, from 0
   * @throws MachineException if the kernel refuses
   */
  void enter(int number) {
    if (!engine.cores().isEmpty()) {
      pin(engine.cores().get(number));
    }
    ThreadPriority priority = engine.priority();
    try {
      switch (priority.kind()) {
        case NORMAL -> TimeSlice.shorten();
        case NICE -> {
          ThreadScheduling.nice(priority.value());
          TimeSlice.shorten();
        }
        case FIFO -> ThreadScheduling.fifo(priority.value());
      }
    } catch (SystemCallException e) {
      throw new MachineException(
          MachineProblem.of(
              TABLE,
              "priority",
              "this process may not have \""
                  + priority
                  + "\"; allowed: \"normal\", or the right for it (CAP_SYS_NICE, or the limit "
                  + (priority.kind() == ThreadPriority.Kind.FIFO ? "rtprio" : "nice")
                  + ")"),
          e);
    }
  }

  private static void pin(int core) {
    try {
      ThreadScheduling.pin(core);
    } catch (SystemCallException e) {
      throw new MachineException(
          MachineProblem.of(
              TABLE,
              "cores",
              "this process may not use processor " + core + "; allowed: " + processors()),
          e);
    }
  }

  private static String processors() {
    try {
      return Arrays.stream(ThreadScheduling.allowedProcessors())
          .mapToObj(Integer::toString)
          .collect(Collectors.joining(", "));
    } catch (SystemCallException e) {
      return "those of this process";
    }
  }

  /** Tries the placement on temporary threads; returns the problems. */
  static List<MachineProblem> problems(Configuration configuration) {
    EngineConfiguration engine = configuration.engine();
    int threads =
        engine.engines() == EngineThreads.SHARED
            ? 1
            : configuration.interfaces().stream().mapToInt(InterfaceConfiguration::engines).sum();
    List<MachineProblem> problems = new ArrayList<>();
    checkOthers(engine, threads, problems);
    for (int i = 0; i < threads && problems.isEmpty(); i++) {
      int number = i;
      Thread thread = new Thread(() -> attempt(engine, number, problems), "rddp-placement");
      thread.start();
      join(thread);
    }
    return problems;
  }

  /**
   * A polling thread with SCHED_FIFO occupies its processor: if all are occupied, the JVM's other
   * threads, and the kernel's, never run.
   */
  private static void checkOthers(
      EngineConfiguration engine, int threads, List<MachineProblem> problems) {
    int processors = Runtime.getRuntime().availableProcessors();
    if (engine.priority().kind() == ThreadPriority.Kind.FIFO
        && engine.idle() != IdleMode.PARK
        && engine.idle() != IdleMode.INTERRUPT
        && threads >= processors) {
      problems.add(
          MachineProblem.of(
              TABLE,
              "priority",
              "\""
                  + engine.priority()
                  + "\" leaves no processor to other threads: "
                  + threads
                  + (threads == 1 ? " engine thread polls" : " engine threads poll")
                  + " on "
                  + processors
                  + "; allowed: fewer engine threads, idle = \"interrupt\", or \"nice -20\""));
    }
  }

  private static void attempt(
      EngineConfiguration engine, int number, List<MachineProblem> problems) {
    try {
      new EnginePlacement(engine).enter(number);
    } catch (MachineException e) {
      problems.addAll(e.problems());
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
