package org.rddp.perf;

import com.google.gson.JsonObject;
import java.util.Locale;

/** Figures that may be unknown. */
final class Figures {
  private Figures() {}

  /** A number with some decimals, or a hyphen for NaN. */
  static String orNone(double value, int decimals) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  /** Adds CPU use, as far as it is known. */
  static void add(JsonObject json, CpuUse cpu) {
    add(json, "daemon_cpu_percent", cpu.daemonPercent());
    add(json, "program_cpu_percent", cpu.programPercent());
  }

  private static void add(JsonObject json, String key, double value) {
    if (!Double.isNaN(value)) {
      json.addProperty(key, value);
    }
  }
}
