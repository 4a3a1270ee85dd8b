package org.rddp.bench.harness;

import java.util.Map;
import java.util.Optional;

/**
 * What all entrants came to in a task.
 *
 * @param title what was measured
 * @param all by name, in the order of the contest
 * @param conditions meanwhile
 */
public record ComparisonResult(
    String title, Map<String, ContenderResult> all, Conditions conditions) {
  /** One entrant's. */
  public ContenderResult of(String name) {
    ContenderResult outcome = all.get(name);
    if (outcome == null) {
      throw new IllegalArgumentException("no entrant is called " + name);
    }
    return outcome;
  }

  /** How many rounds there were. */
  public int rounds() {
    return all.values().stream().mapToInt(each -> each.samples().size()).max().orElse(0);
  }

  /** A figure of one entrant; empty where it could not run, or was not asked to. */
  public Optional<Series> figure(String name, String figure) {
    return Optional.ofNullable(all.get(name)).flatMap(outcome -> outcome.figure(figure));
  }

  /** A figure of one entrant over the same of another, round by round; empty without either. */
  public Optional<Series> ratio(String over, String under, String figure) {
    Optional<Series> above = figure(over, figure);
    Optional<Series> below = figure(under, figure);
    return above.isPresent() && below.isPresent()
        ? Optional.of(above.get().over(below.get()))
        : Optional.empty();
  }
}
