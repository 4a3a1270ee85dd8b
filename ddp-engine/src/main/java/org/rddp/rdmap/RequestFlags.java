package org.rddp.rdmap;

/** Flags of requests: bits to be combined. */
public final class RequestFlags {
  /**
   * Not before every read and atomic that was posted before it has been answered (the read fence of
   * verbs).
   */
  public static final int FENCED = 1;

  /** Sends and Immediate Data: a solicited event at the peer, whose program is to be woken. */
  public static final int SOLICITED = 2;

  private RequestFlags() {}

  static boolean fenced(int flags) {
    return (flags & FENCED) != 0;
  }

  static boolean solicited(int flags) {
    return (flags & SOLICITED) != 0;
  }
}
