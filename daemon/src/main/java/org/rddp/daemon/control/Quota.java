package org.rddp.daemon.control;

import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;

/** A limit and the amount used of it. Control thread only. */
final class Quota {
  private final String what;
  private long limit;
  private final Quota parent;
  private long used;

  /**
   * Creates an unused quota.
   *
   * @param what name of the resource for messages, such as "octets of memory in this session"
   * @param parent quota from which the same amounts are taken, or null
   */
  Quota(String what, long limit, Quota parent) {
    this.what = what;
    this.limit = limit;
    this.parent = parent;
  }

  /**
   * Changes the limit. Amounts in use beyond it stay; no more can be taken until enough is given
   * back.
   */
  void limit(long newLimit) {
    limit = newLimit;
  }

  /** Takes an amount. */
  void take(long amount) throws RequestRefusedException {
    if (amount > limit - used) { // DDP-8.3.2-02, RDMAP-8.1.2-02
      throw new RequestRefusedException(
          Reason.LIMIT,
          "limit reached: "
              + used
              + " of "
              + limit
              + " "
              + what
              + ", "
              + amount
              + " more asked for");
    }
    if (parent != null) {
      parent.take(amount);
    }
    used += amount;
  }

  /** Whether an amount is within the limits, whatever is in use. */
  boolean allows(long amount) {
    return amount <= limit && (parent == null || parent.allows(amount));
  }

  /** Takes an amount that is in use already, whatever the limit. */
  void add(long amount) {
    used += amount;
    if (parent != null) {
      parent.add(amount);
    }
  }

  /** Takes an amount, unless less than half of this quota, and of its parents, would be left. */
  boolean takeIfPlenty(long amount) {
    if (amount > limit / 2 - used || (parent != null && !parent.takeIfPlenty(amount))) {
      return false;
    }
    used += amount;
    return true;
  }

  /** Gives an amount back. */
  void give(long amount) {
    used -= amount;
    if (parent != null) {
      parent.give(amount);
    }
  }

  /** Gives back everything taken from this quota. */
  void giveAll() {
    give(used);
  }

  long used() {
    return used;
  }
}
