package org.rddp.conformance;

import java.util.List;

/**
 * One clause and its evidence.
 *
 * @param clause the clause
 * @param tests the tests that show it, sorted
 * @param reason why no test does, or empty
 */
record MatrixRow(Clause clause, List<String> tests, String reason) {
  static final String HEADER = "id\tlevel\tstatus\tevidence";

  ClauseStatus status() {
    if (!tests.isEmpty()) {
      return ClauseStatus.SHOWN;
    }
    return reason.isEmpty() ? ClauseStatus.MISSING : ClauseStatus.REASON;
  }

  /** The tests, or the reason why there are none. */
  String evidence() {
    return tests.isEmpty() ? reason : String.join(" ", tests);
  }

  String tsv() {
    return clause.id() + "\t" + clause.level() + "\t" + status().word() + "\t" + evidence();
  }
}
