package org.rddp.bench.harness;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Locale;

/**
 * The state of the machine during a measurement.
 *
 * @param coreToCore median round trip of a cache line between the two cores before it, in ns
 * @param coreToCoreAfter the same after it: a hypervisor may move the cores
 * @param pressure share of the time in which a runnable thread had no CPU (/proc/pressure/cpu,
 *     some), our own threads included; NaN where the kernel does not tell
 * @param steal share of all CPU time that the hypervisor gave to other machines
 * @param others share of all CPU time that other processes used
 * @param throughput of the slower core before a round over the best of either before any round, the
 *     median: 1 if no other machine shares the cores; NaN where it was not measured
 * @param seconds that the measurement took
 * @param unsteady contenders whose warm-up ended by its time limit
 */
public record Conditions(
    double coreToCore,
    double coreToCoreAfter,
    double pressure,
    double steal,
    double others,
    double throughput,
    double seconds,
    List<String> unsteady) {
  /** Cores no further apart than this, in ns, are near. */
  private static final double NEAR = 100;

  /** More than these shares of all CPU time disturb a result. */
  private static final double OTHERS = 0.05;

  private static final double STEAL = 0.02;

  /** A lower throughput of a core disturbs a result. */
  private static final double THROUGHPUT = 0.85;

  /** Takes a copy of the list. */
  public Conditions {
    unsteady = List.copyOf(unsteady);
  }

  /** A copy with the contenders that were not steady. */
  Conditions withUnsteady(List<String> names) {
    return new Conditions(
        coreToCore, coreToCoreAfter, pressure, steal, others, throughput, seconds, names);
  }

  /** A copy with the slower core's relative throughput before each round. */
  Conditions withThroughput(double... shares) {
    return new Conditions(
        coreToCore,
        coreToCoreAfter,
        pressure,
        steal,
        others,
        new Series(shares).median(),
        seconds,
        unsteady);
  }

  /** Whether others have used so much CPU that the figures are in doubt. */
  public boolean disturbed() {
    return others > OTHERS || steal > STEAL || throughput < THROUGHPUT;
  }

  /** Whether the two cores were near each other, before and after. */
  public boolean near() {
    return coreToCore <= NEAR && coreToCoreAfter <= NEAR;
  }

  /** Whether the two cores were near each other at one of the two times only. */
  public boolean moved() {
    return coreToCore <= NEAR != coreToCoreAfter <= NEAR;
  }

  /** The distance of the cores, for a table. */
  public String distance() {
    if (near()) {
      return "the cores are near";
    }
    return coreToCore > NEAR && coreToCoreAfter > NEAR
        ? "the cores are far"
        : String.format(
            Locale.ROOT,
            "the cores were moved: %.0f ns, then %.0f ns",
            coreToCore,
            coreToCoreAfter);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "core to core %.0f ns, afterwards %.0f ns; CPU pressure %s, steal %.1f %%,"
            + " other processes %.1f %%, throughput of a core %s%s%s",
        coreToCore,
        coreToCoreAfter,
        Double.isNaN(pressure) ? "unknown" : String.format(Locale.ROOT, "%.1f %%", pressure * 100),
        steal * 100,
        others * 100,
        Double.isNaN(throughput)
            ? "unknown"
            : String.format(Locale.ROOT, "%.0f %%", throughput * 100),
        disturbed() ? ": **DISTURBED** by others" : "",
        unsteady.isEmpty() ? "" : "; not steady: " + String.join(", ", unsteady));
  }

  /** The conditions as JSON, by the names above, and {@code disturbed}. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("core_to_core_ns", coreToCore);
    json.addProperty("core_to_core_after_ns", coreToCoreAfter);
    if (!Double.isNaN(pressure)) {
      json.addProperty("cpu_pressure", rounded(pressure));
    }
    json.addProperty("steal", rounded(steal));
    json.addProperty("others", rounded(others));
    if (!Double.isNaN(throughput)) {
      json.addProperty("throughput", rounded(throughput));
    }
    JsonArray names = new JsonArray();
    unsteady.forEach(names::add);
    json.add("not_steady", names);
    json.addProperty("seconds", rounded(seconds));
    json.addProperty("disturbed", disturbed());
    return json;
  }

  private static double rounded(double value) {
    return Math.round(value * 10_000) / 10_000.0;
  }
}
