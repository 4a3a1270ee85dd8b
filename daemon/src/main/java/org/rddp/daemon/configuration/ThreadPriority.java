package org.rddp.daemon.configuration;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The priority of the engine threads.
 *
 * @param kind how the kernel schedules them
 * @param value the nice value, -20 to 19, or the priority of SCHED_FIFO, 1 to 99; else 0
 */
public record ThreadPriority(Kind kind, int value) {
  /** The format that {@link #parse} accepts, for messages. */
  static final String FORM = "\"normal\", \"nice -20\" to \"nice 19\", \"fifo 1\" to \"fifo 99\"";

  /** The priority of any other thread. */
  public static final ThreadPriority NORMAL = new ThreadPriority(Kind.NORMAL, 0);

  private static final Pattern TEXT = Pattern.compile("(nice|fifo) (-?\\d{1,2})");
  private static final int LEAST_NICE = -20;
  private static final int MOST_NICE = 19;

  /** How the kernel schedules a thread. */
  public enum Kind {
    /** Like any other thread. */
    NORMAL,
    /** With a nice value, which decides the share of a contended processor. */
    NICE,
    /** Before all ordinary threads (SCHED_FIFO). */
    FIFO
  }

  static ThreadPriority parse(String text) {
    if (text.equals("normal")) {
      return NORMAL;
    }
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(text);
    }
    int value = Integer.parseInt(matcher.group(2));
    boolean nice = matcher.group(1).equals("nice");
    if (nice ? value < LEAST_NICE || value > MOST_NICE : value < 1) {
      throw new IllegalArgumentException(text);
    }
    return new ThreadPriority(nice ? Kind.NICE : Kind.FIFO, value);
  }

  @Override
  public String toString() {
    return switch (kind) {
      case NORMAL -> "normal";
      case NICE -> "nice " + value;
      case FIFO -> "fifo " + value;
    };
  }
}
