package org.rddp.bench.analysis;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Figures of one kind: a row for each circumstance, a column for each figure. */
final class Table {
  private final String name;
  private final String title;
  private final String text;
  private final Map<String, String> columns = new LinkedHashMap<>();
  private final List<Object[]> rows = new ArrayList<>();

  /**
   * A table without columns and rows.
   *
   * @param name its name in JSON
   * @param title its heading
   * @param text what was done and how it is to be read
   */
  Table(String name, String title, String text) {
    this.name = name;
    this.title = title;
    this.text = text;
  }

  /**
   * Adds a column.
   *
   * @param key its name in JSON
   * @param heading what is above it
   */
  Table column(String key, String heading) {
    columns.put(key, heading);
    return this;
  }

  /** Adds a row: whole numbers, fractions, or words. */
  void add(Object... values) {
    if (values.length != columns.size()) {
      throw new IllegalArgumentException(values.length + " values, " + columns.size() + " columns");
    }
    rows.add(values);
  }

  String name() {
    return name;
  }

  /** A section with the table in it. */
  String markdown() {
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
    return all.toString();
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
  JsonArray json() {
    JsonArray all = new JsonArray();
    for (Object[] row : rows) {
      JsonObject object = new JsonObject();
      int at = 0;
      for (String key : columns.keySet()) {
        Object value = row[at++];
        if (value instanceof Number number) {
          object.addProperty(key, number);
        } else {
          object.addProperty(key, value.toString());
        }
      }
      all.add(object);
    }
    return all;
  }
}
