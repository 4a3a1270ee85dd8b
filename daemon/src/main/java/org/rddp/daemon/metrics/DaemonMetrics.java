package org.rddp.daemon.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rddp.client.types.RequestForm;
import org.rddp.daemon.control.Statistics;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.TimeHistogram;

/**
 * The metrics of a daemon: every counter of {@code rddp stat}, and the times of turns and requests.
 * The label {@code interface} names the interface. Any thread may collect.
 */
public final class DaemonMetrics implements MultiCollector {
  private static final double SECOND = 1e9;

  private final Statistics statistics;
  private final List<Engine> engines;

  /**
   * Creates the metrics of a daemon.
   *
   * @param statistics open while metrics are collected
   */
  public DaemonMetrics(Statistics statistics, List<Engine> engines) {
    this.statistics = statistics;
    this.engines = List.copyOf(engines);
  }

  @Override
  public MetricSnapshots collect() {
    List<MetricSnapshot> all = counters();
    HistogramSnapshot.Builder turns =
        HistogramSnapshot.builder()
            .name("rddp_turn_seconds")
            .help("Time from a turn that had work to the engine's next turn.");
    HistogramSnapshot.Builder requests =
        HistogramSnapshot.builder()
            .name("rddp_request_seconds")
            .help("Time from the turn that took a request to the turn that completed it.");
    for (Engine engine : engines) {
      Labels labels = Labels.of("interface", engine.name());
      turns.dataPoint(histogram(labels, engine.times().turns()));
      for (RequestForm form : RequestForm.all()) {
        Labels operation = labels.add("operation", form.name().replace(' ', '_'));
        requests.dataPoint(histogram(operation, engine.times().requests(form.opcode())));
      }
    }
    all.add(turns.build());
    all.add(requests.build());
    TenantMetrics.addTo(all, engines);
    return new MetricSnapshots(all);
  }

  private List<MetricSnapshot> counters() {
    Map<CounterMetric, Map<Labels, Long>> values = new LinkedHashMap<>();
    statistics.forEach((counter, value) -> {
      Engine engine = engine(counter);
      Labels labels = engine == null ? Labels.EMPTY : Labels.of("interface", engine.name());
      String name = engine == null ? counter : counter.substring(engine.name().length() + 1);
      values
          .computeIfAbsent(CounterMetrics.of(name), _ -> new LinkedHashMap<>())
          .put(labels, value);
    });
    List<MetricSnapshot> snapshots = new ArrayList<>();
    values.forEach((metric, points) -> snapshots.add(snapshot(metric, points)));
    return snapshots;
  }

  /** The engine of a counter; null for a counter of the daemon as a whole. */
  private Engine engine(String counter) {
    for (Engine engine : engines) {
      if (counter.startsWith(engine.name() + ".") && !CounterMetrics.describes(counter)) {
        return engine;
      }
    }
    return null;
  }

  private static MetricSnapshot snapshot(CounterMetric metric, Map<Labels, Long> points) {
    return switch (metric.kind()) {
      case COUNTER -> {
        CounterSnapshot.Builder builder =
            CounterSnapshot.builder().name(metric.name()).help(metric.help());
        points.forEach((labels, value) ->
            builder.dataPoint(
                CounterDataPointSnapshot.builder().labels(labels).value(value).build()));
        yield builder.build();
      }
      case GAUGE -> {
        GaugeSnapshot.Builder builder =
            GaugeSnapshot.builder().name(metric.name()).help(metric.help());
        points.forEach((labels, value) ->
            builder.dataPoint(
                GaugeDataPointSnapshot.builder().labels(labels).value(value).build()));
        yield builder.build();
      }
    };
  }

  private static HistogramDataPointSnapshot histogram(Labels labels, TimeHistogram times) {
    int buckets = TimeHistogram.buckets();
    double[] bounds = new double[buckets];
    long[] counts = new long[buckets];
    for (int i = 0; i < buckets; i++) {
      long bound = TimeHistogram.upperBound(i);
      bounds[i] = bound == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : bound / SECOND;
      counts[i] = times.count(i);
    }
    return HistogramDataPointSnapshot.builder()
        .labels(labels)
        .sum(times.sum() / SECOND)
        .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, counts))
        .build();
  }
}
