package org.rddp.bench.crc;

import com.google.gson.JsonObject;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.rddp.bench.harness.Series;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.Goal;
import org.rddp.bench.report.ReportTable;

/** The results of {@code bench crc}, as a table and as JSON. */
final class CrcReport {
  private static final String[] TWO_PASSES = {"crc, then copy", "copy, then crc", "jdk, then copy"};

  /** Goals by octets. */
  private static final Map<Integer, Double> BESIDE_JDK =
      new TreeMap<>(Map.of(1460, 1.1, 8960, 1.02, 16_384, 1.1, 65_536, 1.18));

  private static final Map<Integer, Double> BESIDE_TWO_PASSES =
      new TreeMap<>(Map.of(8960, 1.12, 16_384, 1.2));

  private static final String METHOD =
      "Time of a call, medians of interleaved rounds, the same octets each time (in L1 up to its"
          + " size); ratios are medians of the rounds' ratios of speed, with quartiles: more than 1 where rddp is"
          + " quicker.";

  private final String implementation;
  private final Map<Integer, Map<String, Series>> found = new LinkedHashMap<>();
  private long allocated;

  CrcReport(String implementation) {
    this.implementation = implementation;
  }

  void add(int length, Map<String, Series> times, long allocatedThere) {
    found.put(length, times);
    allocated += allocatedThere;
  }

  private static Series jdkRatios(Map<String, Series> times) {
    return times.get(CrcLoops.JDK).over(times.get(CrcLoops.RDDP));
  }

  /** The order of two passes whose median is the least. */
  private static Series bestOfTwoPasses(Map<String, Series> times) {
    return Stream.of(TWO_PASSES)
        .map(times::get)
        .min(Comparator.comparingDouble(Series::median))
        .orElseThrow();
  }

  private static Series twoPassRatios(Map<String, Series> times) {
    return bestOfTwoPasses(times).over(times.get(CrcLoops.FUSED));
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
      Series ofJdk = jdkRatios(times);
      jdk.addProperty(key, rounded(ofJdk.median()));
      spread.addProperty(key, rounded(ofJdk.quantile(0.75) - ofJdk.quantile(0.25)));
      twoPass.addProperty(key, rounded(twoPassRatios(times).median()));
      JsonObject row = new JsonObject();
      times.forEach((name, values) -> row.addProperty(name, rounded(values.median())));
      nanos.add(key, row);
    });
    JsonObject ratios = new JsonObject();
    ratios.add("jdk", jdk);
    ratios.add("two_pass", twoPass);
    ratios.add("jdk_spread", spread);
    JsonObject all = new JsonObject();
    all.addProperty("implementation", implementation);
    all.addProperty("allocated", allocated);
    all.add("ratios", ratios);
    all.add("ns", nanos);
    return all;
  }

  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
  }

  /** Fills the report: a row for each length, and JSON. */
  void into(BenchmarkReport report, boolean isal) {
    report.method("CRC32c by " + implementation + ". " + METHOD);
    if (!isal) {
      report.method("Without ISA-L: libisal2 is not installed.");
    }
    ReportTable table =
        report.add(
            new ReportTable(
                    "lengths",
                    "By length",
                    "ns; rddp's CRCs and copies allocated " + allocated + " octets.")
                .column("octets", "octets")
                .column("rddp", "rddp")
                .column("jdk", "JDK")
                .column("isal", "ISA-L")
                .column("memcpy", "memcpy")
                .column("fused", "rddp, copying")
                .column("two_pass", "CRC and copy")
                .column("jdk_ratio", "speed, rddp / JDK")
                .column("two_pass_ratio", "speed, rddp copying / CRC and copy"));
    found.forEach((length, times) -> table.add(row(length, times)));
    toJson().entrySet().forEach(each -> report.json(each.getKey(), each.getValue()));
    addGoals(report);
  }

  private void addGoals(BenchmarkReport report) {
    Series slowest =
        found.values().stream()
            .map(CrcReport::jdkRatios)
            .min(Comparator.comparingDouble(Series::median))
            .orElseThrow();
    report.add(
        Goal.atLeast(
                0.97,
                "crc_never_slower",
                "CRC32c: times the JDK's, at the worst of all lengths",
                Optional.of(slowest))
            .remark("3 % is noise"));
    BESIDE_JDK.forEach((length, bound) ->
        report.add(
            Goal.atLeast(
                bound,
                "crc_" + length,
                "CRC32c of " + length + " octets: times the JDK's",
                Optional.ofNullable(found.get(length)).map(CrcReport::jdkRatios))));
    BESIDE_TWO_PASSES.forEach((length, bound) ->
        report.add(
            Goal.atLeast(
                bound,
                "crc_copy_" + length,
                "copy with CRC of " + length + " octets: times the better order of two passes",
                Optional.ofNullable(found.get(length)).map(CrcReport::twoPassRatios))));
    report.add(
        Goal.atMost(
            0,
            "crc_allocated",
            "octets that CRCs allocate",
            Optional.of(Series.of((double) allocated))));
  }

  private static Object[] row(int length, Map<String, Series> times) {
    Series isal = times.get(CrcLoops.ISA_L);
    return new Object[] {
      length,
      times.get(CrcLoops.RDDP).median(),
      times.get(CrcLoops.JDK).median(),
      isal == null ? "-" : (Object) isal.median(),
      times.get(CrcLoops.MEMCPY).median(),
      times.get(CrcLoops.FUSED).median(),
      bestOfTwoPasses(times).median(),
      jdkRatios(times),
      twoPassRatios(times)
    };
  }
}
