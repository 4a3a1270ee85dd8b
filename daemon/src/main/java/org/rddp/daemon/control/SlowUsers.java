package org.rddp.daemon.control;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The users whose programs are slow to wake: the kernel walks all threads and epoll instances that
 * wait for a program's wake-up socket, and a program can have very many. No engine wakes programs
 * of such a user again while the daemon runs.
 *
 * <p>Measures CPU time of the thread, so that waiting for a core on a busy machine makes no user
 * slow. That time also has what the program is not to blame for: the JVM's work for code that has
 * not run often, and interrupts of a busy machine. So a user is slow only when that has happened
 * several times within a while. Thread-safe.
 */
final class SlowUsers {
  /** The longest time in ns that waking a program may take an engine. */
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(1);

  /** The number of longer times that makes a user slow. */
  static final int SAMPLES = 4;

  /** The time in ns within which they have to be. */
  static final long WHILE = TimeUnit.MINUTES.toNanos(10);

  private final Set<Integer> users = ConcurrentHashMap.newKeySet();

  /** When each user's last longer times were, the oldest first. Each array guards itself. */
  private final Map<Integer, long[]> samples = new ConcurrentHashMap<>();

  private final LongSupplier cpuTime;
  private final LongSupplier time;

  /** Creates an empty set. */
  SlowUsers() {
    this(ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime, System::nanoTime);
  }

  /**
   * Creates an empty set.
   *
   * @param cpuTime the time in ns that the calling thread has run
   * @param time the time in ns
   */
  SlowUsers(LongSupplier cpuTime, LongSupplier time) {
    this.cpuTime = cpuTime;
    this.time = time;
  }

  /** Whether engines must not wake this user's programs. Allocates nothing. */
  boolean contains(Integer user) {
    return users.contains(user);
  }

  /**
   * Wakes a program. Allocates nothing, unless that takes long.
   *
   * @return whether the user has become slow
   */
  boolean wake(Integer user, Runnable wake) {
    long start = cpuTime.getAsLong();
    wake.run();
    return cpuTime.getAsLong() - start > LONGEST && isSlow(user) && users.add(user);
  }

  /** Notes that waking a program of a user took long, and returns whether it has too often. */
  private boolean isSlow(Integer user) {
    long now = time.getAsLong();
    long[] last = samples.computeIfAbsent(user, id -> longAgo(now));
    synchronized (last) {
      System.arraycopy(last, 1, last, 0, SAMPLES - 1);
      last[SAMPLES - 1] = now;
      return now - last[0] <= WHILE;
    }
  }

  private static long[] longAgo(long now) {
    long[] times = new long[SAMPLES];
    Arrays.fill(times, now - WHILE - 1);
    return times;
  }
}
