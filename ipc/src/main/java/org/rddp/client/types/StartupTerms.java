package org.rddp.client.types;

/**
 * Results of MPA's startup frames (RFC 6581 section 9). IRD and ORD are numbers of RDMA Reads at a
 * time.
 *
 * @param revision MPA revision of the peer's frame, 0 to 2
 * @param peerToPeer whether the connecting end sends an RTR, so that the accepting program may be
 *     the first to send; otherwise its messages wait for the connecting program's first
 * @param peerIrd the peer's IRD as it has sent it: 0 to 16382, {@link #ELSEWHERE}, or {@link
 *     #UNKNOWN}
 * @param peerOrd the peer's ORD, likewise. In a rejection, the ORD that the peer's program needs
 * @param ird Reads of the peer that are served at a time, and as many atomics; one more ends the
 *     connection
 * @param ord Reads and atomics of this program that may be outstanding at a time; further ones
 *     wait. With 0 they complete with {@link CompletionStatus#LOCAL_OPERATION_ERROR}
 * @param sendWithImmediate whether both ends want Sends with immediate data, so that they may be
 *     posted
 */
public record StartupTerms(
    int revision,
    boolean peerToPeer,
    int peerIrd,
    int peerOrd,
    int ird,
    int ord,
    boolean sendWithImmediate) {
  /** The peer's number if the programs agree on it by other means. */
  public static final int ELSEWHERE = 0x3fff;

  /** The peer's frame carries no numbers: it is not of revision 2, or not enhanced. */
  public static final int UNKNOWN = -1;

  /** Terms without Sends with immediate data. */
  public StartupTerms(
      int revision, boolean peerToPeer, int peerIrd, int peerOrd, int ird, int ord) {
    this(revision, peerToPeer, peerIrd, peerOrd, ird, ord, false);
  }
}
