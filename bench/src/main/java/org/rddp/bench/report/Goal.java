package org.rddp.bench.report;

import com.google.gson.JsonObject;
import java.util.Optional;
import org.rddp.bench.method.Series;

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
 */
public record Goal(
    String name,
    String what,
    double bound,
    boolean most,
    Optional<Series> figure,
    String remark,
    String unit) {
  /** A figure that is to be at most this. */
  public static Goal atMost(double bound, String name, String what, Optional<Series> figure) {
    return new Goal(name, what, bound, true, figure, "", null);
  }

  /** A figure that is to be at least this. */
  public static Goal atLeast(double bound, String name, String what, Optional<Series> figure) {
    return new Goal(name, what, bound, false, figure, "", null);
  }

  /** With something to be known beside. */
  public Goal remark(String text) {
    return new Goal(name, what, bound, most, figure, text, unit);
  }

  /** With a unit, such as {@code /s}. */
  public Goal in(String words) {
    return new Goal(name, what, bound, most, figure, remark, words);
  }

  /** Whether the median of the rounds reaches it; empty where nothing was measured. */
  public Optional<Boolean> met() {
    return figure.map(series -> most ? series.median() <= bound : series.median() >= bound);
  }

  /** Met, missed or not measured. */
  String verdict() {
    return met().map(reached -> reached ? "met" : "**missed**").orElse("not measured");
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
    figure.ifPresent(series -> json.addProperty("figure", Table.rounded(series.median())));
    json.addProperty("wanted", wanted());
    json.addProperty("found", found());
    json.addProperty("verdict", verdict());
    met().ifPresent(reached -> json.addProperty("met", reached));
    json.addProperty("remark", remark);
    return json;
  }
}
