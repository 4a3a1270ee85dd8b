package org.rddp.ddp.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * Bounds the heap that the queues of one program take, for any number of queues. A queue keeps
 * entries that are not in use, so that it allocates nothing in a steady state. When all queues of
 * the program together exceed the bound, each frees entries that it does not use. Engine thread
 * only.
 */
public final class QueueMemory {
  /**
   * Octets of heap for each request that a program may have outstanding. A request has at most
   * three entries, some 520 octets: one in the send queue, one among the messages to be sent, and
   * one among the reads or the local operations. A queue has up to twice the entries in use. The
   * rest lets queues grow before they are checked again.
   */
  public static final int OCTETS_OF_REQUEST = 1536;

  private final long limit;
  private final List<EntryRing<?>> grown = new ArrayList<>();
  private long used;

  /**
   * Creates a bound of which nothing is used.
   *
   * @param requests the most requests that the program may have outstanding, greater than 0
   */
  public QueueMemory(int requests) {
    this.limit = (long) requests * OCTETS_OF_REQUEST;
  }

  /**
   * Counts a queue that is about to grow; shrinks all queues if the bound is exceeded.
   *
   * @param octets octets of the additional entries
   * @param first whether its entries have not been counted before
   */
  void grow(EntryRing<?> ring, long octets, boolean first) {
    used += octets;
    if (used > limit) {
      used = octets;
      grown.removeIf(each -> !each.shrink());
      for (EntryRing<?> each : grown) {
        used += each.octets();
      }
    }
    if (first) {
      grown.add(ring);
    }
  }

  /** Octets of the counted entries of all queues. */
  long used() {
    return used;
  }
}
