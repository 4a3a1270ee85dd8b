package org.rddp.perf;

import java.time.Duration;
import org.rddp.client.Completion;
import org.rddp.client.CompletionHandler;
import org.rddp.client.Rddp;

/** Polls the session for the connections of a measurement, and waits. For one thread. */
final class Pump {
  private static final int BATCH = 64;

  /** A power of 2, less one: polls without work between two yields. */
  private static final int YIELD_MASK = 0xf;

  private static final long CHECK_NANOS = 200_000_000;
  private static final long LONGEST_NANOS = 20_000_000_000L;

  /** Longest wait for the server after the stop signal. */
  private static final long SHORT_NANOS = 2_000_000_000L;

  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final long SHORTEST_PAUSE_NANOS = 20_000;

  private final Rddp session;
  private final PerfConnection[] connections;
  private final Waiting waiting;
  private final StopSignal stop;
  private final CompletionHandler handler = this::onCompletion;
  private int idlePolls;
  private long lastWork = System.nanoTime();
  private long lastCheck = lastWork;

  Pump(Rddp session, PerfConnection[] connections, Waiting waiting, StopSignal stop) {
    this.session = session;
    this.connections = connections;
    this.waiting = waiting;
    this.stop = stop;
  }

  private void onCompletion(Completion completion) {
    connections[(int) completion.id()].onCompletion(completion);
  }

  /** Passes completions on; returns how many. */
  int poll() {
    return session.poll(handler, BATCH);
  }

  /**
   * Waits as configured, and checks the connections now and then. Call it when a poll has found
   * nothing, and nothing could be posted.
   *
   * @param now the time
   * @param due when this program next has something to do, at the latest
   * @throws PerfException if a connection has ended, or the server does not answer for long
   */
  void idle(long now, long due) {
    idlePolls++;
    if (waiting == Waiting.EVENTS) {
      await(due - now);
    } else if (waiting == Waiting.YIELD && (idlePolls & YIELD_MASK) == 0) {
      session.yieldProcessor();
    }
    if (now - lastCheck > CHECK_NANOS) {
      lastCheck = now;
      check(now);
    }
  }

  private void await(long nanos) {
    if (nanos >= PAUSE.toNanos()) {
      session.await(PAUSE);
    } else if (nanos > SHORTEST_PAUSE_NANOS) {
      session.await(Duration.ofNanos(nanos));
    }
  }

  /** Restarts the wait for the server: something has happened, or nothing was expected. */
  void worked(long now) {
    lastWork = now;
  }

  private void check(long now) {
    for (PerfConnection connection : connections) {
      connection.check();
    }
    long longest = stop.isRequested() ? SHORT_NANOS : LONGEST_NANOS;
    if (now - lastWork > longest) {
      throw new PerfException("the server has not answered for " + longest / 1_000_000_000 + " s");
    }
  }
}
