package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The length of the calling thread's time slices under the policy SCHED_OTHER (sched(7), {@code
 * sched_runtime} of sched_setattr(2)). With shorter slices a thread gets the same share of time,
 * but runs sooner after a wake-up, and a yield to other threads costs it less: the kernel charges
 * it the rest of its slice.
 *
 * <p>Effective from Linux 6.12 on. Threads that this one starts later inherit it, unless it has
 * SCHED_RESET_ON_FORK.
 */
public final class TimeSlice {
  /** The shortest that the kernel accepts, in ns. */
  public static final long SHORTEST = 100_000;

  private static final SystemCall SYSCALL = SystemCall.bind("syscall", "l:l.illl");

  /** Numbers of the calls, which Debian 12's C library does not have; 0 if not known. */
  private static final int SCHED_SETATTR = number(314, 274);

  private static final int SCHED_GETATTR = number(315, 275);

  private static final int SCHED_OTHER = 0;

  /** Octets of the first version of struct sched_attr, and offsets of its fields. */
  private static final int SIZE = 48;

  private static final int POLICY = 4;
  private static final int FLAGS = 8;
  private static final int RUNTIME = 24;

  private static final long SCHED_FLAG_RESET_ON_FORK = 1;

  private static final ThreadLocal<Boolean> SHORTENED = ThreadLocal.withInitial(TimeSlice::shorten);

  private TimeSlice() {}

  private static int number(int amd64, int aarch64) {
    return switch (System.getProperty("os.arch")) {
      case "amd64" -> amd64;
      case "aarch64" -> aarch64;
      default -> 0;
    };
  }

  /**
   * Sets it to {@link #SHORTEST}, unless the thread has another policy or is a virtual one. What
   * threads inherit that this one starts later stays as it was (SCHED_RESET_ON_FORK).
   *
   * @return false if the kernel refuses it; the thread then runs as before
   */
  public static boolean shorten() {
    return set(SHORTEST, false, false);
  }

  /**
   * Sets it as {@link #shorten} does, but not for threads that this one starts later: until {@link
   * #restore}, these have the usual slices, and the nice value 0 if this thread's is lower.
   *
   * @return false if the kernel refuses it; the thread then runs as before
   */
  public static boolean shortenAlone() {
    return set(SHORTEST, true, false);
  }

  /** Gives the thread, and those that it starts later, the usual slices. */
  public static void restore() {
    boolean ignored = set(0, false, true);
  }

  /**
   * Sets it.
   *
   * @param alone whether threads that this one starts later are not to have it
   * @param inherited whether they are to have it, although the program wanted otherwise
   */
  private static boolean set(long nanos, boolean alone, boolean inherited) {
    if (SCHED_GETATTR == 0 || Thread.currentThread().isVirtual()) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(SIZE, 8);
      if (SYSCALL.attempt(SCHED_GETATTR, 0, attributes.address(), SIZE, 0) < 0
          || attributes.get(ValueLayout.JAVA_INT, POLICY) != SCHED_OTHER) {
        return false;
      }
      long flags = attributes.get(ValueLayout.JAVA_LONG, FLAGS);
      flags |= alone ? SCHED_FLAG_RESET_ON_FORK : 0;
      flags &= inherited ? ~SCHED_FLAG_RESET_ON_FORK : ~0;
      attributes.set(ValueLayout.JAVA_LONG, FLAGS, flags);
      attributes.set(ValueLayout.JAVA_LONG, RUNTIME, nanos);
      return SYSCALL.attempt(SCHED_SETATTR, 0, attributes.address(), 0, 0) >= 0;
    }
  }

  /**
   * Calls {@link #shorten} when the thread calls this first, and allocates nothing afterwards. Does
   * nothing in a process with a filter of system calls, which might end it.
   */
  public static void shortenOnce() {
    if (!ThreadScheduling.isFiltered() && !Thread.currentThread().isVirtual()) {
      SHORTENED.get();
    }
  }

  /** Its length in ns; 0 if the kernel does not tell. */
  public static long current() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(SIZE, 8);
      boolean known =
          SCHED_GETATTR != 0
              && SYSCALL.attempt(SCHED_GETATTR, 0, attributes.address(), SIZE, 0) >= 0;
      return known ? attributes.get(ValueLayout.JAVA_LONG, RUNTIME) : 0;
    }
  }
}
