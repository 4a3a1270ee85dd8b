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
 * A goal of a benchmark and the figure measured for it.
 *
 * @param name in JSON
 * @param what the figure is, for example {@code 64-octet write, p50, beside kernel TCP}
 * @param bound that the figure should reach
 * @param most whether the figure should be at most the bound, or at least
 * @param figure measured; empty where it could not be
 * @param remark for the table, or an empty text
 * @param unit of bound and figure, shown with prefixes; null for none
 * @param doubts reasons to read the figure with care
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
  /** A median of fewer rounds is in doubt. */
  private static final int FEW = 3;

  private static final String MOVED = "the cores moved";

  /** Takes a copy of the list. */
  public Goal {
    doubts = List.copyOf(doubts);
  }

  /** A goal whose figure should be at most the bound. */
  public static Goal atMost(double bound, String name, String what, Optional<Series> figure) {
    return new Goal(name, what, bound, true, figure, "", null, List.of());
  }

  /** A goal whose figure should be at least the bound. */
  public static Goal atLeast(double bound, String name, String what, Optional<Series> figure) {
    return new Goal(name, what, bound, false, figure, "", null, List.of());
  }

  /** This goal with a remark. */
  public Goal remark(String text) {
    return new Goal(name, what, bound, most, figure, text, unit, doubts);
  }

  /** This goal with a unit, such as {@code /s}. */
  public Goal withUnit(String words) {
    return new Goal(name, what, bound, most, figure, remark, words, doubts);
  }

  /** This goal with the doubts about a comparison and some of its contenders. */
  public Goal measuredIn(ComparisonResult found, String... names) {
    Goal goal = measuredUnder(found.conditions(), names);
    int rounds = found.rounds();
    return rounds < FEW ? goal.doubt(rounds == 1 ? "1 round" : rounds + " rounds") : goal;
  }

  /** This goal with doubts where one round is intended: the number of rounds raises no doubt. */
  public Goal measuredUnder(Conditions conditions, String... names) {
    Goal goal = conditions.disturbed() ? doubt("disturbed") : this;
    goal = conditions.moved() ? goal.doubt(MOVED) : goal;
    for (String name : names) {
      goal = conditions.unsteady().contains(name) ? goal.doubt("not steady: " + name) : goal;
    }
    return goal;
  }

  /** This goal, in doubt when the cores were moved between the two steps that it compares. */
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

  /** A table for goals. */
  static ReportTable table(String title, String text) {
    return new ReportTable("goals", title, text)
        .column("goal", "goal")
        .column("wanted", "wanted")
        .column("found", "found")
        .column("verdict", "")
        .column("remark", "");
  }

  /** Whether the median of the rounds reaches the bound; empty where nothing was measured. */
  public Optional<Boolean> met() {
    return figure.map(series -> most ? series.median() <= bound : series.median() >= bound);
  }

  /** Met, missed or not measured, with the doubts in brackets. */
  String verdict() {
    return met()
        .map(reached -> reached ? "met" : "**missed**")
        .map(word -> doubts.isEmpty() ? word : word + " (" + String.join("; ", doubts) + ")")
        .orElse("not measured");
  }

  /** The bound, for tables. */
  String wanted() {
    return (most ? "<= " : ">= ") + words(Series.of(bound));
  }

  /** The figure, for tables. */
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
