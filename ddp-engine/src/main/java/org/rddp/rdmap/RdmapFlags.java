package org.rddp.rdmap;

/** Options of a request: bits to be combined. Programs set the same values. */
public final class RdmapFlags {
  /** Wait until every read and atomic posted before has been answered (the read fence of verbs). */
  public static final int FENCED = 4;

  /** Sends and Immediate Data: a solicited event, which wakes the peer's program. */
  public static final int SOLICITED = 8;

  private RdmapFlags() {}

  static boolean fenced(int flags) {
    return (flags & FENCED) != 0;
  }

  static boolean solicited(int flags) {
    return (flags & SOLICITED) != 0;
  }
}
