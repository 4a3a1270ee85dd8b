package org.rddp.daemon.control;

import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The users a program of whom an engine could not wake quickly: the kernel walks all threads and
 * epoll instances that wait for a program's wake-up socket, and a program can have very many of
 * them. An engine wakes no program of such a user again, for as long as the daemon runs.
 *
 * <p>The time is CPU time of the thread, so that a busy machine, where the thread has to wait for a
 * core, makes no user slow. Thread-safe.
 */
final class SlowUsers {
  /** The longest time in ns that waking a program may take an engine. */
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(1);

  private final Set<Integer> users = ConcurrentHashMap.newKeySet();
  private final LongSupplier cpuTime;

  /** No users. */
  SlowUsers() {
    this(ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime);
  }

  /**
   * No users.
   *
   * @param cpuTime the time in ns that the calling thread has run
   */
  SlowUsers(LongSupplier cpuTime) {
    this.cpuTime = cpuTime;
  }

  /** Whether no engine is to wake this user's programs. Allocates nothing. */
  boolean contains(Integer user) {
    return users.contains(user);
  }

  /**
   * Wakes a program. Allocates nothing, unless that makes its user slow.
   *
   * @return whether the user is slow from now on, and was not before
   */
  boolean wake(Integer user, Runnable wake) {
    long start = cpuTime.getAsLong();
    wake.run();
    return cpuTime.getAsLong() - start > LONGEST && users.add(user);
  }
}
