package org.rddp.daemon.configuration;

import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats durations such as {@code 250ms}, {@code 10s}, {@code 2min}. */
public final class TimeSpan {
  /** The format that {@link #parse} accepts, for messages. */
  public static final String FORM = "a whole number with us, ms, s or min";

  private static final Pattern SPAN = Pattern.compile("(\\d{1,9})\\s*(us|ms|s|min)");

  private TimeSpan() {}

  /**
   * Parses a duration in nanoseconds.
   *
   * @throws IllegalArgumentException if it is not {@link #FORM}
   */
  public static long parse(String text) {
    Matcher matcher = SPAN.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a duration: \"" + text + "\"");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "us" -> TimeUnit.MICROSECONDS.toNanos(number);
      case "ms" -> TimeUnit.MILLISECONDS.toNanos(number);
      case "s" -> TimeUnit.SECONDS.toNanos(number);
      default -> TimeUnit.MINUTES.toNanos(number);
    };
  }

  /** Formats a duration in the largest unit that divides it. */
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
