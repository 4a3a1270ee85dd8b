package org.rddp.bench.crc;

import static org.rddp.bench.InterleavedRounds.quantile;
import static org.rddp.bench.InterleavedRounds.ratios;

import com.google.gson.JsonObject;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What {@code bench crc} has found, as a table and as JSON. */
final class CrcReport {
  private static final String[] TWO_PASSES = {"crc, then copy", "copy, then crc", "jdk, then copy"};

  private final String implementation;
  private final String method;
  private final Map<Integer, Map<String, double[]>> found = new LinkedHashMap<>();
  private long allocated;

  CrcReport(String implementation, String method) {
    this.implementation = implementation;
    this.method = method;
  }

  void add(int length, Map<String, double[]> times, long allocatedThere) {
    found.put(length, times);
    allocated += allocatedThere;
  }

  private static double[] jdkRatios(Map<String, double[]> times) {
    return ratios(times.get(Contenders.JDK), times.get(Contenders.RDDP));
  }

  /** Against the order whose median is the least. */
  private static double[] twoPassRatios(Map<String, double[]> times) {
    double[] best = times.get(TWO_PASSES[0]);
    for (String name : TWO_PASSES) {
      if (quantile(times.get(name), 0.5) < quantile(best, 0.5)) {
        best = times.get(name);
      }
    }
    return ratios(best, times.get(Contenders.FUSED));
  }

  /**
   * {@code ratios.jdk} and {@code ratios.two_pass} by length, the times behind them, and octets
   * allocated.
   */
  JsonObject toJson() {
    JsonObject jdk = new JsonObject();
    JsonObject twoPass = new JsonObject();
    JsonObject spread = new JsonObject();
    JsonObject nanos = new JsonObject();
    found.forEach((length, times) -> {
      String key = String.valueOf(length);
      double[] ofJdk = jdkRatios(times);
      jdk.addProperty(key, rounded(quantile(ofJdk, 0.5)));
      spread.addProperty(key, rounded(quantile(ofJdk, 0.75) - quantile(ofJdk, 0.25)));
      twoPass.addProperty(key, rounded(quantile(twoPassRatios(times), 0.5)));
      JsonObject row = new JsonObject();
      times.forEach((name, values) -> row.addProperty(name, rounded(quantile(values, 0.5))));
      nanos.add(key, row);
    });
    JsonObject ratios = new JsonObject();
    ratios.add("jdk", jdk);
    ratios.add("two_pass", twoPass);
    ratios.add("jdk_spread", spread);
    JsonObject all = new JsonObject();
    all.addProperty("implementation", implementation);
    all.addProperty("method", method);
    all.addProperty("allocated", allocated);
    all.add("ratios", ratios);
    all.add("ns", nanos);
    return all;
  }

  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
  }

  /** A line for each length. */
  void print(PrintWriter out, boolean isal) {
    out.println("CRC32c by " + implementation + ", Java " + Runtime.version());
    out.println(method);
    if (!isal) {
      out.println("without ISA-L: libisal2 is not installed");
    }
    out.printf(
        "%8s %9s %9s %9s %9s %9s %9s  %-20s %s%n",
        "octets",
        "rddp",
        "jdk",
        "isa-l",
        "memcpy",
        "fused",
        "two-pass",
        "jdk/rddp",
        "two-pass/fused");
    found.forEach((length, times) -> out.println(row(length, times)));
    out.println("rddp's CRCs and copies allocated " + allocated + " octets");
  }

  private static String row(int length, Map<String, double[]> times) {
    double twoPass = Double.MAX_VALUE;
    for (String name : TWO_PASSES) {
      twoPass = Math.min(twoPass, quantile(times.get(name), 0.5));
    }
    double[] isal = times.get(Contenders.ISA_L);
    return String.format(
        Locale.ROOT,
        "%8d %9.1f %9.1f %9s %9.1f %9.1f %9.1f  %-20s %s",
        length,
        quantile(times.get(Contenders.RDDP), 0.5),
        quantile(times.get(Contenders.JDK), 0.5),
        isal == null ? "-" : String.format(Locale.ROOT, "%.1f", quantile(isal, 0.5)),
        quantile(times.get(Contenders.MEMCPY), 0.5),
        quantile(times.get(Contenders.FUSED), 0.5),
        twoPass,
        spread(jdkRatios(times)),
        spread(twoPassRatios(times)));
  }

  private static String spread(double[] ratios) {
    return String.format(
        Locale.ROOT,
        "%.2f (%.2f-%.2f)",
        quantile(ratios, 0.5),
        quantile(ratios, 0.25),
        quantile(ratios, 0.75));
  }
}
