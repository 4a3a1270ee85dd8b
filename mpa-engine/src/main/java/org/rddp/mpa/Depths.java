package org.rddp.mpa;

/**
 * IRD and ORD of a connection (RFC 6581 section 9.1): what the peer has sent, and what is in use at
 * this end. The numbers are RDMA Reads at a time.
 *
 * @param peerIrd the peer's IRD as its frame has it: 0 to 16382, {@link #ELSEWHERE}, or {@link
 *     #UNKNOWN}
 * @param peerOrd the peer's ORD, likewise
 * @param ird Reads of the peer to be served at a time
 * @param ord Reads of our own that may be outstanding at a time
 */
public record Depths(int peerIrd, int peerOrd, int ird, int ord) {
  /** The peer's number if the programs agree on the depth by other means. */
  public static final int ELSEWHERE = 0x3fff;

  /** The peer's frame carries no numbers: it is of revision 0 or 1, or not enhanced. */
  public static final int UNKNOWN = -1;

  /** The depths in use towards a peer whose frame carries no numbers. */
  static Depths unknown(MpaSettings settings) {
    return new Depths(UNKNOWN, UNKNOWN, settings.ird(), settings.ordInUse(ELSEWHERE));
  }
}
