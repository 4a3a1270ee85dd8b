package org.rddp.analysis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table of figures, to be printed as text or JSON. */
public final class FigureTable {
  private final String name;
  private final String title;
  private final String text;
  private final Map<String, String> columns = new LinkedHashMap<>();
  private final List<Object[]> rows = new ArrayList<>();

  FigureTable(String name, String title, String text) {
    this.name = name;
    this.title = title;
    this.text = text;
  }

  FigureTable column(String key, String heading) {
    columns.put(key, heading);
    return this;
  }

  void add(Object... row) {
    rows.add(row);
  }

  /** Its name in JSON. */
  public String name() {
    return name;
  }

  /** Its heading. */
  public String title() {
    return title;
  }

  /** What was simulated, and how to read the table. */
  public String text() {
    return text;
  }

  /** The headings of the columns, by their names in JSON. */
  public Map<String, String> columns() {
    return columns;
  }

  /** The rows, each with a text or number for each column. */
  public List<Object[]> rows() {
    return rows;
  }
}
