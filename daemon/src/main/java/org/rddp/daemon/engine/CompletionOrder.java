package org.rddp.daemon.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import org.rddp.client.types.CompletionStatus;

/**
 * The order in which the requests of one queue complete: that in which they were taken from the
 * ring (RFC 5040 section 5.5 rule 15). The layers below keep it for requests that they were given;
 * this class keeps back the completion of a request that was refused before, until those taken
 * earlier have completed. Engine thread only; only refused requests need memory.
 */
final class CompletionOrder {
  private static final long NONE = -1;

  /**
   * A refused request.
   *
   * @param place how many requests of the queue were taken before it
   * @param named number of its Queue or its window
   */
  private record Refusal(long place, int request, CompletionStatus status, int named) {}

  private final CompletionReports reports;
  private final Deque<Refusal> refusals = new ArrayDeque<>(0);
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
  void refuse(int request, CompletionStatus status, int named) {
    refusals.add(new Refusal(taken - 1, request, status, named));
    due = refusals.getFirst().place();
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
    while (!refusals.isEmpty() && refusals.getFirst().place() == completed) {
      Refusal first = refusals.removeFirst();
      reports.refused(first.request(), first.status(), first.named());
    }
    due = refusals.isEmpty() ? NONE : refusals.getFirst().place();
  }
}
