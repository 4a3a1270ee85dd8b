package org.rddp.fuzz;

/** A Read or an atomic of ours that waits for its answer. */
final class PendingRequest {
  final long id;
  final boolean atomic;

  /** Read: the sink. Atomic: the identifier. */
  final int name;

  /** Read: Tagged Offset of what comes next. Atomic: where in the memory the value goes. */
  long next;

  final int length;
  int left;

  PendingRequest(long id, boolean atomic, int name, long next, int length) {
    this.id = id;
    this.atomic = atomic;
    this.name = name;
    this.next = next;
    this.length = length;
    left = length;
  }
}
