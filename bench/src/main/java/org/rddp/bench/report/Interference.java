package org.rddp.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.rddp.bench.harness.Conditions;

/** The line below a table about the conditions under which its parts were measured. */
final class Interference {
  /** Before the tasks, separated by semicolons, whose rounds others have disturbed. */
  static final String DISTURBED = "**DISTURBED** by others:";

  /** In place of all tasks of a table. */
  static final String ALL = "all";

  private static final double PERCENT = 100;

  private final Map<String, Conditions> parts = new LinkedHashMap<>();

  void add(String what, Conditions conditions) {
    parts.put(what, conditions);
  }

  /** Empty where no conditions were added. */
  String markdown() {
    if (parts.isEmpty()) {
      return "";
    }
    List<String> disturbed = new ArrayList<>();
    parts.forEach((what, each) -> {
      if (each.disturbed()) {
        disturbed.add(what);
      }
    });
    return "\nMeanwhile: core to core "
        + range(Conditions::coreToCore, Conditions::coreToCoreAfter, 1, 0)
        + " ns; CPU pressure "
        + range(Conditions::pressure, Conditions::pressure, PERCENT, 0)
        + " %, steal "
        + range(Conditions::steal, Conditions::steal, PERCENT, 1)
        + " %, other processes "
        + range(Conditions::others, Conditions::others, PERCENT, 1)
        + " %, throughput of a core "
        + range(Conditions::throughput, Conditions::throughput, PERCENT, 0)
        + " %."
        + disturbances(disturbed)
        + unsteady()
        + "\n";
  }

  private String unsteady() {
    Set<String> names = new LinkedHashSet<>();
    parts.values().forEach(each -> names.addAll(each.unsteady()));
    return names.isEmpty()
        ? ""
        : " Not steady when their warm-up ran out of time: " + String.join(", ", names) + ".";
  }

  private String disturbances(List<String> disturbed) {
    if (disturbed.isEmpty()) {
      return "";
    }
    boolean all = disturbed.size() == parts.size() && disturbed.size() > 1;
    return " " + DISTURBED + " " + (all ? ALL : String.join("; ", disturbed)) + ".";
  }

  /** The range over all parts, or one value where they are equal. */
  private String range(
      ToDoubleFunction<Conditions> one,
      ToDoubleFunction<Conditions> other,
      double factor,
      int digits) {
    double least = Double.POSITIVE_INFINITY;
    double greatest = Double.NEGATIVE_INFINITY;
    for (Conditions each : parts.values()) {
      for (double value : new double[] {one.applyAsDouble(each), other.applyAsDouble(each)}) {
        if (Double.isNaN(value)) {
          return "unknown";
        }
        least = Math.min(least, value * factor);
        greatest = Math.max(greatest, value * factor);
      }
    }
    String low = String.format(Locale.ROOT, "%." + digits + "f", least);
    String high = String.format(Locale.ROOT, "%." + digits + "f", greatest);
    return low.equals(high) ? low : low + " to " + high;
  }
}
