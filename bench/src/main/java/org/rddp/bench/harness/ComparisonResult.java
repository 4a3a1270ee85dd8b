package org.rddp.bench.harness;

import java.util.Map;
import java.util.Optional;

/**
 * The results of all contenders for a task.
 *
 * @param title what was measured
 * @param all results by name, in the order of the comparison
 * @param conditions under which it was measured
 */
public record ComparisonResult(
    String title, Map<String, ContenderResult> all, Conditions conditions) {
  /** One contender's result. */
  public ContenderResult of(String name) {
    ContenderResult outcome = all.get(name);
    if (outcome == null) {
      throw new IllegalArgumentException("no contender is called " + name);
    }
    return outcome;
  }

  /** The number of rounds. */
  public int rounds() {
    return all.values().stream().mapToInt(each -> each.samples().size()).max().orElse(0);
  }

  /** A figure of one contender; empty where there is none. */
  public Optional<Series> figure(String name, String figure) {
    return Optional.ofNullable(all.get(name)).flatMap(outcome -> outcome.figure(figure));
  }

  /** A figure of one contender over that of another, round by round; empty without either. */
  public Optional<Series> ratio(String over, String under, String figure) {
    Optional<Series> above = figure(over, figure);
    Optional<Series> below = figure(under, figure);
    return above.isPresent() && below.isPresent()
        ? Optional.of(above.get().over(below.get()))
        : Optional.empty();
  }
}
