package org.rddp.bench.harness;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Locale;

/**
 * What the machine was like while something was measured.
 *
 * @param coreToCore round trip of a cache line between the two cores in ns, the median, before
 * @param coreToCoreAfter the same afterwards: a virtual machine's cores may be moved meanwhile
 * @param pressure share of the time in which something that could run had no CPU
 *     (/proc/pressure/cpu, some), or NaN where the kernel does not tell; our own threads count
 * @param steal share of all CPU time that the hypervisor gave to other machines
 * @param others share of all CPU time that processes other than the benchmark's used
 * @param throughput what the slower core got done before a round, by the most that either did
 *     before any, the median: 1 where nobody shares the cores; NaN where nobody looked
 * @param seconds that it took
 * @param unsteady contenders that did not come to the same in their warm-up, which ran out of time
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

  /** From here on a result is called disturbed: of all CPU time. */
  private static final double OTHERS = 0.05;

  private static final double STEAL = 0.02;

  /** Below this, of what a core can do. */
  private static final double THROUGHPUT = 0.85;

  /** Takes a copy of the list. */
  public Conditions {
    unsteady = List.copyOf(unsteady);
  }

  /** With what the warm-ups came to. */
  Conditions withUnsteady(List<String> names) {
    return new Conditions(
        coreToCore, coreToCoreAfter, pressure, steal, others, throughput, seconds, names);
  }

  /** With what the slower core got done before each round, by the most that either ever did. */
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

  /** Whether others have used so much that the figures are to be read with care. */
  public boolean disturbed() {
    return others > OTHERS || steal > STEAL || throughput < THROUGHPUT;
  }

  /** Whether the two cores were near each other, before and after. */
  public boolean near() {
    return coreToCore <= NEAR && coreToCoreAfter <= NEAR;
  }

  /** Whether they were near each other at one of the two times only. */
  public boolean moved() {
    return coreToCore <= NEAR != coreToCoreAfter <= NEAR;
  }

  /** How far the cores were apart, in words. */
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

  /** In a line. */
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

  /** Under the names above, and {@code disturbed}. */
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
