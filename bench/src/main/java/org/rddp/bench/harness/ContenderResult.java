package org.rddp.bench.harness;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * A contender's result for a task.
 *
 * @param samples one for each round, or none
 * @param reason why there are none, or null
 */
public record ContenderResult(List<Sample> samples, String reason) {
  /** Copies the list. */
  public ContenderResult {
    samples = List.copyOf(samples);
  }

  /** A figure over the rounds; empty where there is none. */
  public Optional<Series> figure(String name) {
    if (reason != null || samples.stream().anyMatch(each -> !each.figures().containsKey(name))) {
      return Optional.empty();
    }
    return Optional.of(
        new Series(samples.stream().mapToDouble(each -> each.figures().get(name)).toArray()));
  }

  /** The figure in another unit, or the reason why there is none, for a table's cell. */
  public Object cell(String name, double factor) {
    return figure(name).<Object>map(series -> series.times(factor)).orElse(reason());
  }

  @Override
  public String reason() {
    return reason == null && samples.isEmpty() ? "not measured" : reason == null ? "-" : reason;
  }

  /** The cells of some figures, all in another unit. */
  public List<Object> cells(double factor, String... names) {
    return Stream.of(names).map(name -> cell(name, factor)).toList();
  }

  /** The times of all rounds in ns; empty where there are none. */
  public Optional<Histogram> nanoseconds() {
    Histogram all = null;
    for (Sample sample : samples) {
      if (sample.nanoseconds() != null) {
        if (all == null) {
          all = new Histogram(sample.nanoseconds());
          all.reset();
        }
        all.add(sample.nanoseconds());
      }
    }
    return Optional.ofNullable(all);
  }
}
