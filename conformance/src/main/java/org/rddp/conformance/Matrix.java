package org.rddp.conformance;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Every clause with the tests that show it and the code that decides it, and the errors found. */
final class Matrix {
  private final List<MatrixRow> rows = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();

  /**
   * Joins clauses, tests and code.
   *
   * @param clauses in the order of the documents
   * @param reasons why a clause has no test, by its id
   * @param outcomes the results of the tests
   * @param excuses why no code decides a clause that a test shows, by its id
   * @param places the classes or files whose comments name a clause, by its id
   */
  Matrix(
      Collection<Clause> clauses,
      Map<String, String> reasons,
      Collection<ClauseOutcome> outcomes,
      Map<String, String> excuses,
      Map<String, Set<String>> places) {
    Map<String, TreeSet<String>> passed = new TreeMap<>();
    TreeSet<String> unknown = new TreeSet<>(reasons.keySet());
    unknown.addAll(excuses.keySet());
    unknown.addAll(places.keySet());
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
      Set<String> where = places.getOrDefault(clause.id(), Set.of());
      String excuse = excuses.getOrDefault(clause.id(), "");
      if (!excuse.isEmpty() && (tests.isEmpty() || !where.isEmpty())) {
        faults.add(
            "%s: docs/unplaced.tsv is for what tests show and no code decides; tests %s, code %s"
                .formatted(clause.id(), tests, where));
      }
      if (!tests.isEmpty() && where.isEmpty() && excuse.isEmpty()) {
        faults.add(
            "%s: shown by %s, but no comment in main code says where it is decided"
                .formatted(clause.id(), tests));
      }
      rows.add(new MatrixRow(clause, List.copyOf(tests), reason, List.copyOf(where), excuse));
    }
    for (String id : unknown) {
      faults.add(
          id + ": docs/clauses.tsv has no such clause; named by " + namedBy(id, outcomes, places));
    }
  }

  private static String namedBy(
      String id, Collection<ClauseOutcome> outcomes, Map<String, Set<String>> places) {
    TreeSet<String> names = new TreeSet<>(places.getOrDefault(id, Set.of()));
    outcomes.stream().filter(o -> o.clause().equals(id)).forEach(o -> names.add(o.test()));
    return names.isEmpty() ? "docs/reasons.tsv or docs/unplaced.tsv" : String.join(", ", names);
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
