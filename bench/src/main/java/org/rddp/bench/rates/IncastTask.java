package org.rddp.bench.rates;

import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.link.LinkCounts;
import org.rddp.bench.link.LinkSettings;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.ThreadScheduling;

/**
 * A task for rigs of an incast: each of several connections sends a message at the same time, again
 * and again, over one link.
 *
 * @param octets of a message, a multiple of 8
 * @param millis that are measured
 * @param rate of the link in Gb/s
 * @param micros delay of the link each way
 */
record IncastTask(int octets, int millis, double rate, int micros) {
  /** Half of what the initial windows of 32 connections have. */
  private static final int QUEUE = 256 << 10;

  /** Octets of the queue beyond which the link marks packets. */
  private static final int THRESHOLD = 64 << 10;

  /** Pause after an incast, and of a loop that has nothing to do, in ns. */
  private static final long REST = 5_000_000;

  private static final long PAUSE = 20_000;
  private static final long TIMEOUT = 30_000_000_000L;

  /**
   * Gives the calling thread priority over ordinary threads, as the link's has it, so that others'
   * use of the CPUs does not change what is measured.
   */
  static void prioritize() {
    try {
      ThreadScheduling.fifo(1);
    } catch (SystemCallException e) {
      System.err.println("other threads may delay the messages: " + e.getMessage());
    }
  }

  /** The link. */
  LinkSettings link() {
    return new LinkSettings(0, rate, micros * 1000L, QUEUE, 1).marking(THRESHOLD);
  }

  /** The messages of a rig. */
  interface Messages {
    /** Begins to send one over each connection. */
    void post() throws Exception;

    /** Sends on, and calls {@code arrived} for each message that has arrived. */
    void work(Runnable arrived) throws Exception;

    /** How many connections there are. */
    int count();
  }

  /** Sends messages for the task's time, and gives the time that each took. */
  Histogram run(Messages messages) throws Exception {
    Histogram times = new Histogram(TIMEOUT, 3);
    long end = System.nanoTime() + millis * 1_000_000L;
    do {
      long began = System.nanoTime();
      long all = times.getTotalCount() + messages.count();
      messages.post();
      while (times.getTotalCount() < all) {
        long before = times.getTotalCount();
        messages.work(() -> times.recordValue(System.nanoTime() - began));
        if (times.getTotalCount() == before) {
          LockSupport.parkNanos(PAUSE);
        }
        if (System.nanoTime() - began > TIMEOUT) {
          throw new IllegalStateException("messages have not arrived");
        }
      }
      LockSupport.parkNanos(REST);
    } while (System.nanoTime() < end);
    return times;
  }

  /**
   * Times of messages, and the link's {@code dropped}, {@code marked}, {@code queue}, {@code
   * longest}.
   */
  static Sample sample(Histogram times, LinkCounts counts) {
    return Sample.of(times)
        .with("dropped", (double) counts.dropped())
        .with("marked", (double) counts.marked())
        .with("queue", counts.queue())
        .with("longest", (double) counts.longest());
  }
}
