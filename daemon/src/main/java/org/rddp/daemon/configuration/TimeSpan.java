package org.rddp.daemon.configuration;

import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as people write them: {@code 250ms}, {@code 10s}, {@code 2min}. */
public final class TimeSpan {
  /** What {@link #parse} takes, for messages. */
  public static final String FORM = "a whole number with us, ms, s or min";

  private static final Pattern SPAN = Pattern.compile("(\\d{1,9})\\s*(us|ms|s|min)");

  private TimeSpan() {}

  /**
   * Nanoseconds named by a text.
   *
   * @throws IllegalArgumentException if it is not {@link #FORM}
   */
  public static long parse(String text) {
    Matcher matcher = SPAN.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a length of time: \"" + text + "\"");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "us" -> TimeUnit.MICROSECONDS.toNanos(number);
      case "ms" -> TimeUnit.MILLISECONDS.toNanos(number);
      case "s" -> TimeUnit.SECONDS.toNanos(number);
      default -> TimeUnit.MINUTES.toNanos(number);
    };
  }

  /** A length of time for people, in the largest unit that divides it. */
  public static String format(long nanos) {
    if (nanos % TimeUnit.MINUTES.toNanos(1) == 0 && nanos != 0) {
      return TimeUnit.NANOSECONDS.toMinutes(nanos) + "min";
    }
    if (nanos % TimeUnit.SECONDS.toNanos(1) == 0) {
      return TimeUnit.NANOSECONDS.toSeconds(nanos) + "s";
    }
    if (nanos % TimeUnit.MILLISECONDS.toNanos(1) == 0) {
      return TimeUnit.NANOSECONDS.toMillis(nanos) + "ms";
    }
    return TimeUnit.NANOSECONDS.toMicros(nanos) + "us";
  }
}
