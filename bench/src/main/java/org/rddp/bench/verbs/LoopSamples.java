package org.rddp.bench.verbs;

import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.bench.harness.Sample;

/** The figures that all rigs of loops give. */
final class LoopSamples {
  private LoopSamples() {}

  /** What one post and one completion take, their sum, and the CPU time of a batch, in ns. */
  static Sample cost(double post, double completion, double cpu) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("sum_ns", post + completion);
    figures.put("post_ns", post);
    figures.put("completion_ns", completion);
    figures.put("cpu_ns", cpu);
    return Sample.of(figures);
  }

  /** Gb/s, messages a second, and the CPU time of a message in ns. */
  static Sample stream(double total, int octets, double nanos, double cpu) {
    double messages = total / octets;
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("gbps", total * Byte.SIZE / nanos);
    figures.put("rate", messages * 1e9 / nanos);
    figures.put("cpu_ns", cpu / messages);
    return Sample.of(figures);
  }
}
