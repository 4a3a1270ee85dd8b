package org.rddp.daemon.control;

import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The users with a program that was slow to wake: the kernel walks all threads and epoll instances
 * that wait for a program's wake-up socket, and a program can have very many. No engine wakes
 * programs of such a user again while the daemon runs.
 *
 * <p>Measures CPU time of the thread, so that waiting for a core on a busy machine makes no user
 * slow. Thread-safe.
 */
final class SlowUsers {
  /** The longest time in ns that waking a program may take an engine. */
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(1);

  private final Set<Integer> users = ConcurrentHashMap.newKeySet();
  private final LongSupplier cpuTime;

  /** Creates an empty set. */
  SlowUsers() {
    this(ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime);
  }

  /**
   * Creates an empty set.
   *
   * @param cpuTime the time in ns that the calling thread has run
   */
  SlowUsers(LongSupplier cpuTime) {
    this.cpuTime = cpuTime;
  }

  /** Whether engines must not wake this user's programs. Allocates nothing. */
  boolean contains(Integer user) {
    return users.contains(user);
  }

  /**
   * Wakes a program. Allocates nothing, unless that makes its user slow.
   *
   * @return whether the user has become slow
   */
  boolean wake(Integer user, Runnable wake) {
    long start = cpuTime.getAsLong();
    wake.run();
    return cpuTime.getAsLong() - start > LONGEST && users.add(user);
  }
}
