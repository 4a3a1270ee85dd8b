package org.rddp.bench.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.rddp.analysis.FigureTable;
import org.rddp.bench.harness.Conditions;
import org.rddp.bench.harness.Series;

/** A table of figures. */
public final class ReportTable {
  private final String name;
  private final String title;
  private final String text;
  private final Map<String, String> columns = new LinkedHashMap<>();
  private final List<Object[]> rows = new ArrayList<>();
  private final Interference meanwhile = new Interference();

  /**
   * A table without columns and rows.
   *
   * @param name its name in JSON
   * @param title its heading
   * @param text what was measured, and how to read the table
   */
  public ReportTable(String name, String title, String text) {
    this.name = name;
    this.title = title;
    this.text = text;
  }

  /** A table of figures that are exact. */
  public static ReportTable of(FigureTable figures) {
    ReportTable table = new ReportTable(figures.name(), figures.title(), figures.text());
    figures.columns().forEach(table::column);
    figures.rows().forEach(table::add);
    return table;
  }

  /**
   * Adds a column.
   *
   * @param key its name in JSON
   * @param heading of the column
   */
  public ReportTable column(String key, String heading) {
    columns.put(key, heading);
    return this;
  }

  /**
   * Adds a row: whole numbers, fractions, words, a {@link Series} (shown as its median and
   * quartiles), a {@link Quantity}, an {@link Optional} of those, or a list of several cells.
   */
  public void add(Object... cells) {
    Object[] values =
        Stream.of(cells)
            .flatMap(each -> each instanceof List<?> list ? list.stream() : Stream.of(each))
            .toArray();
    if (values.length != columns.size()) {
      throw new IllegalArgumentException(values.length + " values, " + columns.size() + " columns");
    }
    for (int i = 0; i < values.length; i++) {
      if (values[i] instanceof Optional<?> maybe) {
        values[i] = maybe.isPresent() ? maybe.get() : "-";
      }
    }
    rows.add(values);
  }

  /** Adds the conditions under which a part of it was measured. */
  void measuredUnder(String what, Conditions conditions) {
    meanwhile.add(what, conditions);
  }

  /** Whether it has no rows. */
  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** Its name in JSON. */
  public String name() {
    return name;
  }

  /** A section with the table in it. */
  public String markdown() {
    StringBuilder all = new StringBuilder();
    all.append("### ").append(title).append("\n\n").append(text).append("\n\n");
    all.append("| ").append(String.join(" | ", columns.values())).append(" |\n");
    all.append("|").append("---|".repeat(columns.size())).append('\n');
    for (Object[] row : rows) {
      all.append('|');
      for (Object value : row) {
        all.append(' ').append(words(value)).append(" |");
      }
      all.append('\n');
    }
    return all.append(meanwhile.markdown()).toString();
  }

  private static String words(Object value) {
    if (value instanceof Double fraction) {
      return String.format(Locale.ROOT, "%.2f", fraction);
    }
    return value instanceof Number number
        ? String.format(Locale.ROOT, "%,d", number.longValue())
        : value.toString();
  }

  /** An object for each row. */
  public JsonArray json() {
    JsonArray all = new JsonArray();
    for (Object[] row : rows) {
      JsonObject object = new JsonObject();
      int at = 0;
      for (String key : columns.keySet()) {
        object.add(key, json(row[at++]));
      }
      all.add(object);
    }
    return all;
  }

  private static JsonElement json(Object value) {
    if (value instanceof Quantity quantity) {
      return json(quantity.series());
    }
    if (value instanceof Series series) {
      JsonObject spread = new JsonObject();
      spread.addProperty("median", rounded(series.median()));
      spread.addProperty("q1", rounded(series.quantile(0.25)));
      spread.addProperty("q3", rounded(series.quantile(0.75)));
      spread.addProperty("min", rounded(series.least()));
      spread.addProperty("max", rounded(series.greatest()));
      return spread;
    }
    return value instanceof Number number
        ? new JsonPrimitive(number)
        : new JsonPrimitive(value.toString());
  }

  /** Rounded to six significant digits. */
  static double rounded(double value) {
    return Double.isFinite(value)
        ? new java.math.BigDecimal(value).round(new java.math.MathContext(6)).doubleValue()
        : 0;
  }
}
