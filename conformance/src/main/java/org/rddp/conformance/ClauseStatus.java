package org.rddp.conformance;

/** Whether tests show a clause. */
enum ClauseStatus {
  /** A test shows it. */
  SHOWN,
  /** No test shows it, for a stated reason. */
  REASON,
  /** No test shows it, and no reason is stated. */
  MISSING;

  /** The word in conformance.tsv. */
  String word() {
    return switch (this) {
      case SHOWN -> "shown";
      case REASON -> "reason";
      case MISSING -> "missing";
    };
  }
}
