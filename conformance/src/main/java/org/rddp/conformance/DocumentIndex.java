package org.rddp.conformance;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Fills the index of {@code docs/README.md}: a row whose second cell names clauses has the classes
 * that decide them in its third cell, and the classes that test them in its fourth.
 */
final class DocumentIndex {
  private final Map<String, MatrixRow> rows = new HashMap<>();

  DocumentIndex(Collection<MatrixRow> rows) {
    rows.forEach(row -> this.rows.put(row.clause().id(), row));
  }

  /**
   * Replaces the cells.
   *
   * @param lines the document
   * @return the document as it must be
   */
  List<String> filled(List<String> lines) {
    return lines.stream().map(this::filled).toList();
  }

  private String filled(String line) {
    String[] cells = line.split(" \\| ", -1);
    List<MatrixRow> clauses = new ArrayList<>();
    if (cells.length == 4) {
      Clause.ID.matcher(cells[1]).results().forEach(id -> clauses.add(row(id.group())));
    }
    if (clauses.isEmpty()) {
      return line;
    }
    return "%s | %s | %s | %s |"
        .formatted(
            cells[0],
            cells[1],
            cell(clauses, MatrixRow::places),
            cell(clauses, MatrixRow::testClasses));
  }

  private MatrixRow row(String id) {
    if (!rows.containsKey(id)) {
      throw new IllegalArgumentException("docs/README.md names " + id + ", which is no clause");
    }
    return rows.get(id);
  }

  private static String cell(
      List<MatrixRow> clauses, Function<MatrixRow, ? extends Collection<String>> names) {
    return clauses.stream()
        .flatMap(row -> names.apply(row).stream())
        .collect(Collectors.toCollection(TreeSet::new))
        .stream()
        .map(name -> "`" + name + "`")
        .collect(Collectors.joining(", "));
  }
}
