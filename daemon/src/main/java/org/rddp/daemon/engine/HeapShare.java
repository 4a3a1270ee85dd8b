package org.rddp.daemon.engine;

import java.util.concurrent.atomic.AtomicLong;
import org.rddp.client.types.Reason;

/**
 * A limit for what sessions and connections take of the daemon's heap, and how much is taken: one
 * for the daemon, one for each user and one for each process. What they may need at the most is
 * taken before they begin, so that the heap is never full. Thread-safe.
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
   * What programs may have of a heap: five eighths of it, less what the daemon needs. The rest is
   * for new objects and for garbage that has not been collected yet.
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
   * Changes the limit. What is used beyond it stays; no more is taken until enough is given back.
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

  /** How often something was refused since this share was used up. */
  public long refused() {
    return refused.get();
  }

  /**
   * Takes octets.
   *
   * @param what for the message, such as "a connection"
   * @throws RequestRefusedException if there are not so many: with {@link Reason#LIMIT} where a
   *     user or a process has its share, with {@link Reason#RESOURCES} where the whole is used up
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

  /** Gives back all that is taken, by an owner that will take and give no more. */
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
