package org.rddp.mpa;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Set;

/**
 * The administrator's settings for MPA connections.
 *
 * @param crc whether CRCs are wanted; they are in use when either side wants them. Only the
 *     administrator may turn this off, explicitly, and only if the whole path protects the data as
 *     well (RFC 5044 section 4.4)
 * @param crcInEsp whether they are wanted also where ESP must protect every packet of the
 *     connection, which is at least as good (RFC 5044 section 4.4). Only the administrator may turn
 *     this off
 * @param markers whether the peer is asked to send Markers to us; the peer decides whether we send
 *     any
 * @param startupTimeoutNanos how long to wait for the peer's startup frame, greater than 0
 * @param revision the MPA revision that an Initiator proposes: 1 (RFC 5044) or 2 (RFC 6581). A
 *     Responder accepts both
 * @param revision1Retry whether the Initiator's side connects again with revision 1 if the peer
 *     closes after a Request of revision 2 (RFC 6581 section 10)
 * @param permissive whether peers of the RDMA Consortium's specifications, revision 0, are accepted
 *     too (RFC 5044 appendix C)
 * @param startKey whether both ends begin with the Start Key of draft-culley-iwarp-mpa-03 instead;
 *     it cannot be detected in time, so it must be configured
 * @param streamedPrivateData whether Private Data is exchanged in streaming mode before the Start
 *     Key: the Initiator sends one message, the Responder answers with one (section 13.3 of that
 *     draft). Without this a Start Key has no Private Data
 * @param ird RDMA Reads of the peer that are served at a time, 0 to 16382
 * @param ord RDMA Reads of our own that may be outstanding at a time, 0 to 16382
 * @param unnegotiatedOrd the limit instead of ORD, if less, towards a peer that does not state its
 *     IRD (revision 1, or IRD 0x3fff), 0 to 16382. A user that does not know the peer's IRD by
 *     other means sets 1: every peer that serves Reads serves one at a time
 * @param requiredOrd the least ORD that our user needs, 0 to 16382: a Responder's Reply that
 *     rejects states it, even beyond the Initiator's IRD (RFC 6581 section 9.1)
 * @param readsNegotiated whether an Initiator of revision 2 sends IRD and ORD, to which both ends
 *     adapt; otherwise the programs agree on them by other means
 * @param peerToPeer whether an Initiator of revision 2 sends an RTR, so that the Responder's
 *     program may be the first to send (RFC 6581 section 9.2). A Responder follows the Initiator
 * @param rtr the kinds of RTR that we send and accept, at least one
 * @param startups the most Responders of one stack that wait for a Request at a time, 1 to 2^24;
 *     the listener resets connections beyond that
 * @param early whether the user accepts ULPDUs out of order, which Markers locate when a segment is
 *     missing (RFC 5044 appendix A.5)
 * @param silentDrop whether a segment with an invalid FPDU is dropped before TCP acknowledges it,
 *     so that the peer sends it again (RFC 5044 section 8); otherwise errors 2 and 3 are reported
 *     at once. Costs a second CRC computation over everything received
 * @param packing whether FPDUs sent in the same turn of the duty cycle share segments, and MULPDU
 *     reflects the room left (RFC 5044 section 4.5, appendix A.2)
 */
@RecordBuilder
public record MpaSettings(
    boolean crc,
    boolean crcInEsp,
    boolean markers,
    long startupTimeoutNanos,
    int revision,
    boolean revision1Retry,
    boolean permissive,
    boolean startKey,
    boolean streamedPrivateData,
    int ird,
    int ord,
    int unnegotiatedOrd,
    int requiredOrd,
    boolean readsNegotiated,
    boolean peerToPeer,
    Set<Rtr> rtr,
    int startups,
    boolean early,
    boolean silentDrop,
    boolean packing)
    implements MpaSettingsBuilder.With {
  /** The largest IRD and ORD. */
  public static final int DEEPEST = 16382;

  /**
   * CRCs, no Markers, a startup timeout of ten seconds, revision 1, no RDMA Reads, any RTR, ULPDUs
   * in order.
   */
  public static final MpaSettings DEFAULTS =
      MpaSettingsBuilder.builder()
          // MPA-4.4-03, D03-3.2-01; MPA-1.2-02: "CRCs MUST be enabled unless it is clear that the
          // end-to-end connection through the network has data integrity at least as good";
          // MPA-4.4-04: "The default configuration for a connection MUST be to use CRCs"
          .crc(true)
          .crcInEsp(true)
          .startupTimeoutNanos(10_000_000_000L)
          .revision(StartupFrame.RFC5044)
          .unnegotiatedOrd(DEEPEST)
          .readsNegotiated(true)
          .rtr(Set.of(Rtr.values()))
          .startups(1024)
          .build();

  /** Checks the ranges. */
  public MpaSettings {
    require(startupTimeoutNanos > 0, "startup timeout", startupTimeoutNanos);
    require(revision == 1 || revision == 2, "revision", revision);
    require(ird >= 0 && ird <= DEEPEST, "IRD", ird);
    require(ord >= 0 && ord <= DEEPEST, "ORD", ord);
    require(
        unnegotiatedOrd >= 0 && unnegotiatedOrd <= DEEPEST, "unnegotiated ORD", unnegotiatedOrd);
    require(requiredOrd >= 0 && requiredOrd <= DEEPEST, "required ORD", requiredOrd);
    rtr = Set.copyOf(rtr);
    require(startups >= 1 && startups <= 1 << 24, "startups", startups);
    // P2P-9.2-09: "MUST support at least one RTR indication option"
    require(!rtr.isEmpty(), "kinds of RTR", rtr.size());
  }

  private static void require(boolean sound, String name, long value) {
    if (!sound) {
      throw new IllegalArgumentException(name + " " + value + " is out of range");
    }
  }

  /** The ORD in use towards a peer that sends this IRD. */
  int ordInUse(int peerIrd) {
    // P2P-9.1-03: "MUST set its IRD at least to the responder ORD and its ORD at most to the
    // responder IRD"; P2P-9.1-07: "MUST leave its local endpoint ORD value unchanged"
    return Math.min(ord, peerIrd == Depths.ELSEWHERE ? unnegotiatedOrd : peerIrd);
  }

  /** Whether an Initiator's Request uses features of RFC 6581, and so must be enhanced. */
  boolean enhances() {
    // P2P-6-01; P2P-10-03: "when no enhanced functionality is desired"
    return revision == StartupFrame.RFC6581 && !startKey && (peerToPeer || readsNegotiated);
  }

  /** Returns a copy with another IRD ({@code in}) and ORD ({@code out}). */
  public MpaSettings withReads(int in, int out) {
    return withIrd(in).withOrd(out);
  }
}
