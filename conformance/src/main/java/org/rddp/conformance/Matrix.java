package org.rddp.conformance;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Every clause with the tests that show it, and the errors found. */
final class Matrix {
  private final List<MatrixRow> rows = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();

  /**
   * Joins clauses and tests.
   *
   * @param clauses in the order of the documents
   * @param reasons why a clause has no test, by its id
   * @param outcomes the results of the tests
   */
  Matrix(
      Collection<Clause> clauses, Map<String, String> reasons, Collection<ClauseOutcome> outcomes) {
    Map<String, TreeSet<String>> passed = new TreeMap<>();
    TreeSet<String> unknown = new TreeSet<>(reasons.keySet());
    for (ClauseOutcome outcome : outcomes) {
      unknown.add(outcome.clause());
      if (outcome.passed()) {
        passed.computeIfAbsent(outcome.clause(), id -> new TreeSet<>()).add(outcome.test());
      }
    }
    for (Clause clause : clauses) {
      unknown.remove(clause.id());
      TreeSet<String> tests = passed.getOrDefault(clause.id(), new TreeSet<>());
      String reason = reasons.getOrDefault(clause.id(), "");
      if (!tests.isEmpty() && !reason.isEmpty()) {
        faults.add(
            clause.id() + ": docs/reasons.tsv says why it is not shown, but it is: " + tests);
      }
      rows.add(new MatrixRow(clause, List.copyOf(tests), reason));
    }
    for (String id : unknown) {
      faults.add(id + ": docs/clauses.tsv has no such clause; named by " + namedBy(id, outcomes));
    }
  }

  private static String namedBy(String id, Collection<ClauseOutcome> outcomes) {
    TreeSet<String> tests = new TreeSet<>();
    outcomes.stream().filter(o -> o.clause().equals(id)).forEach(o -> tests.add(o.test()));
    return tests.isEmpty() ? "docs/reasons.tsv" : String.join(", ", tests);
  }

  List<MatrixRow> rows() {
    return rows;
  }

  /** Messages about errors; empty if there are none. */
  List<String> faults() {
    return faults;
  }

  /**
   * The claims that no longer hold, as messages.
   *
   * @param claimed ids of the clauses that the committed matrix calls shown
   */
  List<String> brokenClaims(Collection<String> claimed) {
    List<String> broken = new ArrayList<>();
    for (MatrixRow row : rows) {
      if (claimed.contains(row.clause().id()) && row.status() != ClauseStatus.SHOWN) {
        broken.add(
            "%s (%s): claimed to be shown, but no passing test carries it"
                .formatted(row.clause().id(), row.clause().level()));
      }
    }
    return broken;
  }
}
