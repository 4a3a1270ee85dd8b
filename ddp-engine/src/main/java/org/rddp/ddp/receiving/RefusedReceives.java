package org.rddp.ddp.receiving;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.rddp.snapshot.Snapshot;

/**
 * Receives of one queue that were refused when they were posted. Each ends when those posted before
 * it have ended: receives complete in the order of their posts, whatever their status (RFC 5040
 * section 5.5 rule 15). Only refused receives need memory.
 */
public final class RefusedReceives {
  /**
   * A refused receive.
   *
   * @param place how many receives of the queue were posted before it; may have overflowed
   * @param token as it was posted
   * @param status with which it ends
   */
  public record Refused(int place, long token, int status) {}

  private final Deque<Refused> waiting = new ArrayDeque<>(2);

  /** Adds a receive, behind so many that were posted before it. */
  public void add(int place, long token, int status) {
    waiting.addLast(new Refused(place, token, status));
  }

  /**
   * Removes a receive that ends now, since so many receives of the queue have ended; null if there
   * is none.
   */
  public Refused removeDue(int ended) {
    Refused first = waiting.peekFirst();
    return first != null && first.place == ended ? waiting.removeFirst() : null; // RDMAP-5.5-02
  }

  /** Transfers the receives; when read, there are none before. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(RefusedReceives.class);
    Iterator<Refused> written = List.copyOf(waiting).iterator();
    while (snapshot.flag("waiting", written.hasNext())) {
      Refused refused = snapshot.reads() ? null : written.next();
      refused = snapshot.record("refused", Refused.class, refused);
      if (snapshot.reads()) {
        waiting.addLast(refused);
      }
    }
    snapshot.end();
  }
}
