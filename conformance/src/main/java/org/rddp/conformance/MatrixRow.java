package org.rddp.conformance;

import java.util.List;

/**
 * One clause, its evidence and the code that decides it.
 *
 * @param clause the clause
 * @param tests the tests that show it, sorted
 * @param reason why no test does, or empty
 * @param places the classes or files that decide it, sorted
 * @param excuse why no code decides it, or empty
 */
record MatrixRow(
    Clause clause, List<String> tests, String reason, List<String> places, String excuse) {
  static final String HEADER = "id\tlevel\tstatus\twhere\tevidence";

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

  /** The classes of the tests, without {@code org.rddp.}. */
  List<String> testClasses() {
    return tests.stream()
        .map(test -> test.replaceFirst("^org\\.rddp\\.", "").replaceFirst("#.*", ""))
        .distinct()
        .toList();
  }

  String tsv() {
    return String.join(
        "\t", clause.id(), clause.level(), status().word(), String.join(" ", places), evidence());
  }
}
