package org.rddp.cli;

import com.google.gson.JsonObject;
import java.nio.charset.Charset;
import java.util.Locale;

/** Numbers with units for people, in few characters. */
final class Quantities {
  private static final String[] OCTETS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final String[] TIMES = {"ns", microsecond(System.out.charset()), "ms", "s"};

  private static final String[] BIT_RATES = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};

  private Quantities() {}

  /** The unit as standard output can show it: where the locale has no mu, {@code us}. */
  static String microsecond(Charset charset) {
    return charset.newEncoder().canEncode('µ') ? "µs" : "us";
  }

  /** Octets of a key, such as {@code 1.5 MiB}; a dash if there are none. */
  static String octets(JsonObject json, String key) {
    return json.has(key) ? octets(json.get(key).getAsDouble()) : "-";
  }

  static String octets(double octets) {
    return scaled(octets, 1024, OCTETS);
  }

  /** A time in nanoseconds of a key, such as {@code 12 µs}; a dash if there is none. */
  static String nanos(JsonObject json, String key) {
    return json.has(key) && json.get(key).getAsLong() != 0
        ? scaled(json.get(key).getAsDouble(), 1000, TIMES)
        : "-";
  }

  /** A time in seconds of a key, such as {@code 3h12m}. */
  static String seconds(JsonObject json, String key) {
    long seconds = (long) json.get(key).getAsDouble();
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3600) {
      return seconds / 60 + "m" + seconds % 60 + "s";
    }
    return seconds < 86400
        ? seconds / 3600 + "h" + seconds % 3600 / 60 + "m"
        : seconds / 86400 + "d" + seconds % 86400 / 3600 + "h";
  }

  /** Bits per second of a key, such as {@code 2.5 Gbit/s}; a dash for 0. */
  static String bitRate(JsonObject json, String key) {
    double rate = json.get(key).getAsDouble();
    return rate == 0 ? "-" : scaled(rate, 1000, BIT_RATES);
  }

  private static String scaled(double value, int step, String[] units) {
    int unit = 0;
    double scaled = value;
    while (scaled >= step && unit < units.length - 1) {
      scaled /= step;
      unit++;
    }
    String format = unit == 0 || scaled >= 100 ? "%.0f %s" : "%.1f %s";
    return String.format(Locale.ROOT, format, scaled, units[unit]);
  }
}
