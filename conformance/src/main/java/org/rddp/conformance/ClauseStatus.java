package org.rddp.conformance;

/** How far a clause is kept, as far as tests can tell. */
enum ClauseStatus {
  /** A test shows it. */
  SHOWN,
  /** No test does, for a reason that is stated. */
  REASON,
  /** No test does, and nobody has said why. */
  MISSING;

  String word() {
    return switch (this) {
      case SHOWN -> "shown";
      case REASON -> "reason";
      case MISSING -> "missing";
    };
  }
}
