package org.rddp.rdmap;

/**
 * What a program asks of RDMAP with a request: bits to be combined. The values are those that the
 * program has set.
 */
public final class RdmapFlags {
  /**
   * Not before every read and atomic that was posted before it has been answered (the read fence of
   * verbs).
   */
  public static final int FENCED = 4;

  /** Sends and Immediate Data: a solicited event at the peer, whose program is to be woken. */
  public static final int SOLICITED = 8;

  private RdmapFlags() {}

  static boolean fenced(int flags) {
    return (flags & FENCED) != 0;
  }

  static boolean solicited(int flags) {
    return (flags & SOLICITED) != 0;
  }
}
