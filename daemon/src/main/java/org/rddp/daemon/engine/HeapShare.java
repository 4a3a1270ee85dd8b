package org.rddp.daemon.engine;

import java.util.concurrent.atomic.AtomicLong;
import org.rddp.client.types.Reason;

/**
 * A limit of the daemon's heap for sessions and connections, and the amount taken: one for the
 * daemon, one for each user and one for each process. A session or connection takes the most that
 * it may need before it begins, so that the heap is never full. Thread-safe.
 */
public final class HeapShare {
  private static final long MIB = 1 << 20;

  /** Octets of heap for the daemon itself: its engines' tables, its log, its code's objects. */
  private static final long DAEMON = 32 * MIB;

  private final String whose;
  private final HeapShare parent;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private volatile long limit;

  private HeapShare(String whose, long limit, HeapShare parent) {
    this.whose = whose;
    this.limit = limit;
    this.parent = parent;
  }

  /**
   * Creates the programs' share of a heap: five eighths of it, less the daemon's need. The rest is
   * for new objects and uncollected garbage.
   *
   * @param heap octets of the whole heap
   */
  public static HeapShare ofHeap(long heap) {
    return new HeapShare("this daemon", Math.max(0, heap / 8 * 5 - DAEMON), null);
  }

  /** A share without a limit. */
  public static HeapShare unlimited() {
    return new HeapShare("", Long.MAX_VALUE, null);
  }

  /**
   * A part of this share.
   *
   * @param owner for messages, such as "user 1000"
   */
  public HeapShare share(String owner, long octets) {
    return new HeapShare(owner, octets, this);
  }

  /**
   * Changes the limit. Octets in use beyond it stay; no more can be taken until enough is given
   * back.
   */
  public void limit(long octets) {
    limit = octets;
  }

  /** The most octets. */
  public long limit() {
    return limit;
  }

  /** Octets that are taken. */
  public long used() {
    return used.get();
  }

  /** Number of refusals because this share was used up. */
  public long refused() {
    return refused.get();
  }

  /**
   * Takes octets.
   *
   * @param what for the message, such as "a connection"
   * @throws RequestRefusedException if too few are left: with {@link Reason#LIMIT} if a user's or
   *     process's share is used up, with {@link Reason#RESOURCES} if the whole is
   */
  public void take(String what, long octets) throws RequestRefusedException {
    long before = used.get();
    while (octets <= limit - before && !used.compareAndSet(before, before + octets)) {
      before = used.get();
    }
    if (octets > limit - before) {
      refused.incrementAndGet();
      throw new RequestRefusedException(
          parent == null ? Reason.RESOURCES : Reason.LIMIT,
          "no heap for %s: %d of %d KiB for programs of %s are taken, it needs %d; %s"
              .formatted(
                  what,
                  before >> 10,
                  limit >> 10,
                  whose,
                  octets >> 10,
                  "use fewer connections or shallower queues, or give the daemon a larger heap"));
    }
    if (parent != null) {
      try {
        parent.take(what, octets);
      } catch (RequestRefusedException e) {
        used.addAndGet(-octets);
        throw e;
      }
    }
  }

  /** The share of the daemon, of which this is a part. */
  public HeapShare whole() {
    return parent == null ? this : parent.whole();
  }

  /** Gives back all octets; the owner takes and gives no more afterwards. */
  public void giveAll() {
    give(used.get());
  }

  /** Gives octets back. */
  public void give(long octets) {
    used.addAndGet(-octets);
    if (parent != null) {
      parent.give(octets);
    }
  }
}
