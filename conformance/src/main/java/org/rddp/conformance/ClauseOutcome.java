package org.rddp.conformance;

import java.nio.file.Path;

/**
 * The result of one test that names a clause.
 *
 * @param clause the clause's id
 * @param test class and method, {@code org.rddp.mpa.MarkersTest#shouldPointBack}
 * @param passed whether every execution of it passed
 */
record ClauseOutcome(String clause, String test, boolean passed) {
  /** Where a module's outcomes are recorded, relative to its folder. */
  static final Path FILE = Path.of("target", "clauses.tsv");

  static final String HEADER = "clause\ttest\toutcome";
  static final int COLUMNS = 3;
  private static final String PASSED = "passed";

  static ClauseOutcome of(String[] row) {
    return new ClauseOutcome(row[0], row[1], row[2].equals(PASSED));
  }

  String row() {
    return clause + "\t" + test + "\t" + (passed ? PASSED : "failed");
  }
}
