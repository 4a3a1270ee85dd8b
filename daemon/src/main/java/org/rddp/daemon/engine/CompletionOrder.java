package org.rddp.daemon.engine;

import org.rddp.client.types.CompletionStatus;

/**
 * Completes the requests of one queue in the order in which they were taken from the ring (RFC 5040
 * section 5.5 rule 15). The layers below keep that order for the requests that they get; this class
 * holds back the completion of a refused request until earlier requests have completed. Engine
 * thread only; only refused requests need memory.
 */
final class CompletionOrder {
  private static final long NONE = -1;

  /** A refused request. */
  private static final class Refusal {
    /** Requests of the queue taken before it. */
    private final long place;

    private final int slot;
    private final CompletionStatus status;

    /** Number of its Queue or its window. */
    private final int named;

    private Refusal next;

    private Refusal(long place, int slot, CompletionStatus status, int named) {
      this.place = place;
      this.slot = slot;
      this.status = status;
      this.named = named;
    }
  }

  private final CompletionReports reports;

  /** A linked list, so that many refusals leave no memory behind; null if empty. */
  private Refusal first;

  private Refusal last;
  private long taken;
  private long completed;

  /** Place of the first refused request, or {@link #NONE}. */
  private long due = NONE;

  /** Creates the order of an unused queue. */
  CompletionOrder(CompletionReports reports) {
    this.reports = reports;
  }

  /** Counts a taken request. */
  void take() {
    taken++;
  }

  /** Requests that have been taken. */
  long taken() {
    return taken;
  }

  /** Requests that have completed. */
  long completed() {
    return completed;
  }

  /** Whether a request has ever been taken. */
  boolean isUsed() {
    return taken > 0;
  }

  /** Whether a taken request has not completed. */
  boolean isPending() {
    return taken > completed;
  }

  /** Refuses the request taken last: it completes with this status after earlier ones. */
  void refuse(int slot, CompletionStatus status, int named) {
    Refusal refusal = new Refusal(taken - 1, slot, status, named);
    if (first == null) {
      first = refusal;
    } else {
      last.next = refusal;
    }
    last = refusal;
    due = first.place;
    if (due == completed) {
      report();
    }
  }

  /** Counts the completion of the first uncompleted request. */
  void complete() {
    completed++;
    if (completed == due) {
      report();
    }
  }

  /** Reports the refused requests that are due; each calls {@link #complete}. */
  private void report() {
    due = NONE;
    while (first != null && first.place == completed) { // RDMAP-5.5-02
      Refusal refusal = first;
      first = refusal.next;
      reports.refused(refusal.slot, refusal.status, refusal.named);
    }
    due = first == null ? NONE : first.place;
  }
}
