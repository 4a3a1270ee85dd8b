package org.rddp.daemon.configuration;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats rates such as {@code 10Gbit/s} and {@code 2.5 Gbit/s}; powers of 1000. */
public final class RateText {
  /** The format that {@link #parse} accepts, for messages. */
  public static final String FORM = "a number with kbit/s, Mbit/s or Gbit/s";

  private static final Pattern RATE = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,6})?)\\s*([kMG])bit/s");
  private static final String UNITS = "kMG";

  private RateText() {}

  /**
   * Parses a rate in bits per second.
   *
   * @throws IllegalArgumentException if it is not {@link #FORM}
   */
  public static long parse(String text) {
    Matcher matcher = RATE.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a rate: \"" + text + "\"; allowed: " + FORM);
    }
    int power = UNITS.indexOf(matcher.group(2)) + 1;
    return Math.round(Double.parseDouble(matcher.group(1)) * Math.pow(1000, power));
  }

  /** Formats a rate of at least 1000 bits per second with its largest unit. */
  public static String format(long bitsPerSecond) {
    int unit = 0;
    double number = bitsPerSecond / 1000.0;
    while (number >= 1000 && unit < UNITS.length() - 1) {
      number /= 1000;
      unit++;
    }
    String digits =
        String.format(Locale.ROOT, number == Math.rint(number) ? "%.0f" : "%.3f", number);
    return digits + " " + UNITS.charAt(unit) + "bit/s";
  }
}
