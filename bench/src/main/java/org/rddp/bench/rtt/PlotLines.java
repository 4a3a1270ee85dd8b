package org.rddp.bench.rtt;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.bench.report.Plot;

/** Collects the points of a plot's lines. */
final class PlotLines {
  private final Map<String, List<Double>> horizontal = new LinkedHashMap<>();
  private final Map<String, List<Double>> vertical = new LinkedHashMap<>();

  void add(String line, double at, double value) {
    horizontal.computeIfAbsent(line, _ -> new ArrayList<>()).add(at);
    vertical.computeIfAbsent(line, _ -> new ArrayList<>()).add(value);
  }

  void addTo(Plot plot) {
    horizontal.forEach((line, at) -> plot.line(line, at, vertical.get(line)));
  }
}
