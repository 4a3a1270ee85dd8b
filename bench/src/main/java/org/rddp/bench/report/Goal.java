package org.rddp.bench.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.rddp.bench.harness.ComparisonResult;
import org.rddp.bench.harness.Conditions;
import org.rddp.bench.harness.Series;

/**
 * Something that is aimed at, and what has come of it.
 *
 * @param name in JSON
 * @param what is aimed at, in words, for example {@code 64-octet write, p50, beside kernel TCP}
 * @param bound the figure that it is to reach
 * @param most whether the figure is to be at most the bound, or at least
 * @param figure what was found; empty where it could not be measured
 * @param remark what is to be known beside, or an empty text
 * @param unit of the bound and the figure, shown with prefixes; null for none
 * @param doubts why the figure is to be read with care; none where nothing is known against it
 */
public record Goal(
    String name,
    String what,
    double bound,
    boolean most,
    Optional<Series> figure,
    String remark,
    String unit,
    List<String> doubts) {
  /** A median of fewer rounds says little. */
  private static final int FEW = 3;

  private static final String MOVED = "the cores moved";

  /** Takes a copy of the list. */
  public Goal {
    doubts = List.copyOf(doubts);
  }

  /** A figure that is to be at most this. */
  public static Goal atMost(double bound, String name, String what, Optional<Series> figure) {
    return new Goal(name, what, bound, true, figure, "", null, List.of());
  }

  /** A figure that is to be at least this. */
  public static Goal atLeast(double bound, String name, String what, Optional<Series> figure) {
    return new Goal(name, what, bound, false, figure, "", null, List.of());
  }

  /** With something to be known beside. */
  public Goal remark(String text) {
    return new Goal(name, what, bound, most, figure, text, unit, doubts);
  }

  /** With a unit, such as {@code /s}. */
  public Goal withUnit(String words) {
    return new Goal(name, what, bound, most, figure, remark, words, doubts);
  }

  /** Out of the rounds of some entrants: with what is to be said against these. */
  public Goal measuredIn(ComparisonResult found, String... names) {
    Goal goal = measuredUnder(found.conditions(), names);
    int rounds = found.rounds();
    return rounds < FEW ? goal.doubt(rounds == 1 ? "1 round" : rounds + " rounds") : goal;
  }

  /** The same, where a single round is what is asked for. */
  public Goal measuredUnder(Conditions conditions, String... names) {
    Goal goal = conditions.disturbed() ? doubt("disturbed") : this;
    goal = conditions.moved() ? goal.doubt(MOVED) : goal;
    for (String name : names) {
      goal = conditions.unsteady().contains(name) ? goal.doubt("not steady: " + name) : goal;
    }
    return goal;
  }

  /** The same, of two steps that it compares: the cores may be moved between them, too. */
  public Goal measuredUnder(Conditions one, Conditions other) {
    return one.near() == other.near() ? this : doubt(MOVED);
  }

  private Goal doubt(String reason) {
    List<String> more = new ArrayList<>(doubts);
    if (!more.contains(reason)) {
      more.add(reason);
    }
    return new Goal(name, what, bound, most, figure, remark, unit, more);
  }

  /** Whether the median of the rounds reaches it; empty where nothing was measured. */
  public Optional<Boolean> met() {
    return figure.map(series -> most ? series.median() <= bound : series.median() >= bound);
  }

  /** Met, missed or not measured, and in brackets what is to be said against the figure. */
  String verdict() {
    return met()
        .map(reached -> reached ? "met" : "**missed**")
        .map(word -> doubts.isEmpty() ? word : word + " (" + String.join("; ", doubts) + ")")
        .orElse("not measured");
  }

  /** What is to be reached. */
  String wanted() {
    return (most ? "<= " : ">= ") + words(Series.of(bound));
  }

  /** What was found. */
  String found() {
    return figure.map(this::words).orElse("-");
  }

  private String words(Series series) {
    return unit == null ? series.toString() : new Quantity(series, unit).toString();
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("goal", name);
    json.addProperty("what", what);
    json.addProperty(most ? "at_most" : "at_least", bound);
    figure.ifPresent(series -> json.addProperty("figure", ReportTable.rounded(series.median())));
    json.addProperty("wanted", wanted());
    json.addProperty("found", found());
    json.addProperty("verdict", verdict());
    met().ifPresent(reached -> json.addProperty("met", reached));
    JsonArray reasons = new JsonArray();
    doubts.forEach(reasons::add);
    json.add("doubts", reasons);
    json.addProperty("remark", remark);
    return json;
  }
}
