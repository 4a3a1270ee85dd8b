package org.rddp.daemon.control;

import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;

/** How much of something there may be, and how much there is. Control thread only. */
final class Quota {
  private final String what;
  private final long limit;
  private final Quota parent;
  private long used;

  /**
   * Nothing used.
   *
   * @param what for messages, such as "octets of memory in this session"
   * @param parent what is used here is used there too, or null
   */
  Quota(String what, long limit, Quota parent) {
    this.what = what;
    this.limit = limit;
    this.parent = parent;
  }

  /** Takes some. */
  void take(long amount) throws RequestRefusedException {
    if (amount > limit - used) {
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

  /** Gives some back. */
  void give(long amount) {
    used -= amount;
    if (parent != null) {
      parent.give(amount);
    }
  }

  /** Gives back all that was taken here. */
  void giveAll() {
    give(used);
  }

  long used() {
    return used;
  }
}
