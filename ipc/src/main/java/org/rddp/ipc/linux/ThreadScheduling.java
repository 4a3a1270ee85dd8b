package org.rddp.ipc.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Sets the processors and the priority of the calling platform thread. Threads that it starts later
 * inherit both.
 */
public final class ThreadScheduling {
  private static final int PRIO_PROCESS = 0;
  private static final int SCHED_FIFO = 1;
  private static final SystemCall SCHED_GETAFFINITY = SystemCall.bind("sched_getaffinity", "i:ill");
  private static final SystemCall SCHED_SETAFFINITY = SystemCall.bind("sched_setaffinity", "i:ill");
  private static final SystemCall SCHED_SETSCHEDULER =
      SystemCall.bind("sched_setscheduler", "i:iil");
  private static final SystemCall SETPRIORITY = SystemCall.bind("setpriority", "i:iii");

  // A nice value may be -1, so there is no error to be told.
  private static final MethodHandle GETPRIORITY = SystemCall.exact("getpriority", "i:ii");

  private static final MethodHandle SCHED_GETCPU = SystemCall.exact("sched_getcpu", "i:");

  private static final boolean FILTERED = readFiltered();

  private ThreadScheduling() {}

  private static boolean readFiltered() {
    try {
      return !Files.readString(Path.of("/proc/self/status")).contains("\nSeccomp:\t0\n");
    } catch (IOException e) {
      return true;
    }
  }

  /**
   * Whether the process had a filter of system calls (seccomp) when this class was loaded, or this
   * cannot be told. A filter may end a process that calls what it does not know.
   */
  public static boolean isFiltered() {
    return FILTERED;
  }

  /** The processor that the thread runs on, which may change at any time. Allocates nothing. */
  public static int currentProcessor() {
    try {
      return (int) SCHED_GETCPU.invokeExact();
    } catch (Throwable unexpected) {
      throw new AssertionError("sched_getcpu", unexpected);
    }
  }

  /**
   * The processors that the thread may run on, in ascending order; at least one.
   *
   * @throws SystemCallException if the kernel refuses
   */
  public static int[] allowedProcessors() throws SystemCallException {
    return processors(0);
  }

  /**
   * The processors that the process may run on, in ascending order, whatever its threads have been
   * restricted to: those of its first thread, which only starts the JVM. At least one.
   *
   * @throws SystemCallException if the kernel refuses
   */
  public static int[] processorsOfProcess() throws SystemCallException {
    return processors((int) ProcessHandle.current().pid());
  }

  private static int[] processors(int thread) throws SystemCallException {
    ProcessorMask mask = ProcessorMask.none();
    SCHED_GETAFFINITY.call(thread, ProcessorMask.OCTETS, mask.address());
    return mask.processors();
  }

  /**
   * Restricts the thread to one processor.
   *
   * @param processor its number, 0 to 8191
   * @throws SystemCallException if there is no such processor, or this process may not use it
   */
  public static void pin(int processor) throws SystemCallException {
    ProcessorMask mask = ProcessorMask.of(processor);
    SCHED_SETAFFINITY.call(0, ProcessorMask.OCTETS, mask.address());
  }

  /** The thread's nice value. */
  public static int nice() {
    try {
      return (int) GETPRIORITY.invokeExact(PRIO_PROCESS, 0);
    } catch (Throwable unexpected) {
      throw new AssertionError("getpriority", unexpected);
    }
  }

  /**
   * Sets the thread's nice value.
   *
   * @param value -20 (most time) to 19; one that is lower than before needs CAP_SYS_NICE or
   *     RLIMIT_NICE
   * @throws SystemCallException if that is not allowed
   */
  public static void nice(int value) throws SystemCallException {
    SETPRIORITY.call(PRIO_PROCESS, 0, value);
  }

  /**
   * Gives the thread precedence over all ordinary threads (SCHED_FIFO). Unless it sleeps between
   * its tasks, no ordinary thread runs on its processor.
   *
   * @param priority 1 to 99; a higher one has precedence among such threads
   * @throws SystemCallException if that is not allowed: it needs CAP_SYS_NICE or RLIMIT_RTPRIO
   */
  public static void fifo(int priority) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      long parameter = arena.allocateFrom(ValueLayout.JAVA_INT, priority).address();
      SCHED_SETSCHEDULER.call(0, SCHED_FIFO, parameter);
    }
  }
}
