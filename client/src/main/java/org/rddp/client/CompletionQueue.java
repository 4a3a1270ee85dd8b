package org.rddp.client;

import java.util.ArrayDeque;
import java.util.Iterator;
import org.rddp.client.types.SessionLimits;

/**
 * Completions of some of a session's connections, in the order in which their requests ended. The
 * options of a connection name its queue ({@link ConnectionOptions#withCompletionQueue}); without
 * one, its completions go to {@link Rddp#poll}.
 *
 * <p>The queues of a session share one ring. Polling one of them sorts what the ring has: the
 * completions of other queues are kept until those are polled, at most {@link
 * SessionLimits#completions} in all. So queues give parts of a program, such as a library and its
 * caller, their own completions, but do not make them independent: all queues of a session are for
 * one thread at a time, are woken together by {@link Rddp#await}, and share the limit of
 * outstanding requests, so each must be polled. Threads that must not wait for each other need a
 * session each.
 */
public final class CompletionQueue {
  private final Completions completions;
  private final ArrayDeque<Completion> kept = new ArrayDeque<>();

  CompletionQueue(Completions completions) {
    this.completions = completions;
  }

  /**
   * Passes completions of this queue to the handler. Does not block; allocates only to keep more
   * completions of other queues than ever before.
   *
   * @param max largest number of completions
   * @return number of completions passed
   * @throws SessionLostException if there is no completion and the session is lost
   */
  public int poll(CompletionHandler handler, int max) {
    return completions.poll(this, handler, max);
  }

  /** The session. */
  public Rddp session() {
    return completions.session();
  }

  void keep(Completion completion) {
    kept.add(completion);
  }

  boolean isEmpty() {
    return kept.isEmpty();
  }

  /** Removes the first completion that is kept; null if there is none. */
  Completion next() {
    return kept.poll();
  }

  /** Removes the first completion of a connection that is kept; null if there is none. */
  Completion next(Connection connection) {
    Iterator<Completion> each = kept.iterator();
    while (each.hasNext()) {
      Completion completion = each.next();
      if (completion.connection() == connection) {
        each.remove();
        return completion;
      }
    }
    return null;
  }
}
