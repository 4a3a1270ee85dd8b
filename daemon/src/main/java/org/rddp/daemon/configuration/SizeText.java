package org.rddp.daemon.configuration;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses and formats sizes such as {@code 4096}, {@code 64KiB}, {@code 1.5 GiB}, {@code 10MB}. */
public final class SizeText {
  /** The format that {@link #parse} accepts, for messages. */
  public static final String FORM =
      "octets, or a number with KiB, MiB, GiB, TiB (or KB, MB, GB, TB: powers of 1000)";

  private static final Pattern SIZE =
      Pattern.compile("(\\d{1,18}(?:\\.\\d{1,9})?)\\s*(?:([KMGT])(i?)B?|B)?");

  private SizeText() {}

  /**
   * Parses a size in octets.
   *
   * @throws IllegalArgumentException if it is not {@link #FORM}, or more than a long holds
   */
  public static long parse(String text) {
    Matcher matcher = SIZE.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a size: \"" + text + "\"; allowed: " + FORM);
    }
    double number = Double.parseDouble(matcher.group(1));
    long unit = 1;
    if (matcher.group(2) != null) {
      // "64K" and "64Ki" are powers of two, as usual for memory; "64KB" is decimal.
      boolean decimal = matcher.group(3).isEmpty() && matcher.group().endsWith("B");
      long step = decimal ? 1000 : 1024;
      for (int power = "KMGT".indexOf(matcher.group(2)); power >= 0; power--) {
        unit *= step;
      }
    }
    double octets = number * unit;
    if (octets >= Long.MAX_VALUE) {
      throw new IllegalArgumentException("too large: \"" + text + "\"");
    }
    return matcher.group(1).contains(".")
        ? Math.round(octets)
        : Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
  }

  /** Formats a size with the largest binary unit that gives a short number. */
  public static String format(long octets) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double number = octets;
    while (number >= 1024 && unit < units.length - 1) {
      number /= 1024;
      unit++;
    }
    String digits =
        number == Math.rint(number)
            ? String.format(Locale.ROOT, "%.0f", number)
            : String.format(Locale.ROOT, "%.1f", number);
    return digits + " " + units[unit];
  }
}
