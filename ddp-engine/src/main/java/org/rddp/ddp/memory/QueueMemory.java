package org.rddp.ddp.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * Bounds what the queues of one program take of the heap, however many queues it has. A queue keeps
 * entries that are not in use, so that it needs no memory in a steady state; when all queues of the
 * program together have more than the bound, each gives back what it does not use. Engine thread
 * only.
 */
public final class QueueMemory {
  /**
   * Octets of heap for each request that a program may have outstanding. At the most a request has
   * three entries: one of the send queue, one of the messages to be sent, and one of the reads or
   * of the local operations, some 520 octets. A queue has up to twice the entries in use. The rest
   * is what queues may grow by before they are looked at again.
   */
  public static final int OCTETS_OF_REQUEST = 1536;

  private final long limit;
  private final List<EntryRing<?>> grown = new ArrayList<>();
  private long used;

  /**
   * Memory of which nothing is used.
   *
   * @param requests the most that the program may have outstanding, greater than 0
   */
  public QueueMemory(int requests) {
    this.limit = (long) requests * OCTETS_OF_REQUEST;
  }

  /**
   * A queue is about to grow.
   *
   * @param octets of the entries that it will have more
   * @param first whether its entries have not counted so far
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

  /** Octets of the entries of all queues that have more than a few. */
  long used() {
    return used;
  }
}
