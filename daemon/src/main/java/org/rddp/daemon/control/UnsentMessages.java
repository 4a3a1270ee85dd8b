package org.rddp.daemon.control;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.rddp.ipc.control.DaemonMessage;

/**
 * Messages that wait because their program does not read. Nothing reports that it reads again, so
 * they are tried again after pauses that double. All times are of {@link System#nanoTime}.
 */
final class UnsentMessages {
  /** Shortest and longest pause in ns between two tries. */
  static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  /** Time in ns within which a program must read on. */
  static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(30);

  private final ArrayDeque<DaemonMessage> messages = new ArrayDeque<>();
  private long waitingSince;
  private long lastTry;
  private long pause;

  boolean isEmpty() {
    return messages.isEmpty();
  }

  int size() {
    return messages.size();
  }

  /** Adds a message; the first one has just been tried. */
  void add(DaemonMessage message, long now) {
    if (messages.isEmpty()) {
      restart(now);
    }
    messages.add(message);
  }

  private void restart(long now) {
    waitingSince = now;
    lastTry = now;
    pause = FIRST_PAUSE;
  }

  /** Time in ns until the next try; -1 if no message waits. */
  long untilNextTry(long now) {
    return messages.isEmpty() ? -1 : Math.max(0, lastTry + pause - now);
  }

  /**
   * Sends messages in their order, if it is time for the next try.
   *
   * @param send sends a message; false if the program does not read
   */
  void send(long now, Predicate<DaemonMessage> send) {
    if (untilNextTry(now) != 0) {
      return;
    }
    lastTry = now;
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    while (!messages.isEmpty() && send.test(messages.peek())) {
      messages.remove();
      restart(now);
    }
  }

  /** Whether the program has read nothing for too long. */
  boolean waitsTooLong(long now) {
    return !messages.isEmpty() && now - waitingSince > LONGEST_WAIT;
  }
}
