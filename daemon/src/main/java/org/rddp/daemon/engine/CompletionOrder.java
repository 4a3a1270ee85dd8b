package org.rddp.daemon.engine;

import org.rddp.client.types.CompletionStatus;

/**
 * The order in which the requests of one queue complete: that in which they were taken from the
 * ring (RFC 5040 section 5.5 rule 15). The layers below keep it for requests that they were given;
 * this class keeps back the completion of a request that was refused before, until those taken
 * earlier have completed. Engine thread only; only refused requests need memory.
 */
final class CompletionOrder {
  private static final long NONE = -1;

  /** A refused request. */
  private static final class Refusal {
    /** How many requests of the queue were taken before it. */
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

  /** A list, so that nothing is left of the memory of many refusals; null if it is empty. */
  private Refusal first;

  private Refusal last;
  private long taken;
  private long completed;

  /** Place of the first refused request, or {@link #NONE}. */
  private long due = NONE;

  /** A queue from which nothing has been taken. */
  CompletionOrder(CompletionReports reports) {
    this.reports = reports;
  }

  /** A request has been taken. */
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

  /** Whether a request has been taken that has not completed. */
  boolean isPending() {
    return taken > completed;
  }

  /** The request that was taken last completes with this status, in its turn. */
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

  /** The first request that has not completed has completed now. */
  void complete() {
    completed++;
    if (completed == due) {
      report();
    }
  }

  /** Reports the refused requests whose turn it is; each of them calls {@link #complete}. */
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
