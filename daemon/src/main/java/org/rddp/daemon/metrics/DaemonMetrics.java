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
import org.rddp.daemon.control.PublishedValue;
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
    Map<PublishedValue<?>, Map<Labels, Long>> values = new LinkedHashMap<>();
    statistics.forEach((engine, published, value) ->
        values
            .computeIfAbsent(published, _ -> new LinkedHashMap<>())
            .put(engine.isEmpty() ? Labels.EMPTY : Labels.of("interface", engine), value));
    List<MetricSnapshot> snapshots = new ArrayList<>();
    values.forEach((published, points) -> snapshots.add(snapshot(published, points)));
    return snapshots;
  }

  private static MetricSnapshot snapshot(PublishedValue<?> published, Map<Labels, Long> points) {
    String name = "rddp_" + published.name();
    if (published.isGauge()) {
      GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(published.help());
      points.forEach((labels, value) ->
          gauge.dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(value).build()));
      return gauge.build();
    }
    CounterSnapshot.Builder counter = CounterSnapshot.builder().name(name).help(published.help());
    points.forEach((labels, value) ->
        counter.dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(value).build()));
    return counter.build();
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
