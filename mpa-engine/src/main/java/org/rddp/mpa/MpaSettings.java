package org.rddp.mpa;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Set;

/**
 * What the administrator of this side wants of an MPA connection.
 *
 * @param crc whether CRCs are wanted; they are in use when either side wants them. Only an explicit
 *     order of the administrator, who knows that the whole path protects the data as well, may turn
 *     this off (RFC 5044 section 4.4)
 * @param markers whether the peer is asked to put Markers into what it sends to us; whether we send
 *     any is for the peer to say
 * @param startupTimeoutNanos how long to wait for the peer's startup frame, greater than 0
 * @param revision the MPA revision that an Initiator proposes: 1 (RFC 5044) or 2 (RFC 6581). A
 *     Responder takes both
 * @param permissive whether peers that conform to the RDMA Consortium's specifications, revision 0,
 *     are served too (RFC 5044 appendix C)
 * @param startKey whether both ends begin with the Start Key of draft-culley-iwarp-mpa-03 instead;
 *     never guessed, since nothing tells before it is too late
 * @param streamedPrivateData whether, with the Start Key, Private Data goes before it in streaming
 *     mode: the Initiator sends a message, the Responder answers with one (section 13.3 of that
 *     draft). Without it a Start Key has no Private Data
 * @param ird RDMA Reads of the peer that are served at a time, 0 to 16382
 * @param ord RDMA Reads of our own that may be outstanding at a time, 0 to 16382
 * @param readsNegotiated whether an Initiator of revision 2 says these depths, so that both ends
 *     fit theirs to the other's; otherwise the programs have settled them by other means
 * @param peerToPeer whether an Initiator of revision 2 sends an RTR, so that the Responder's
 *     program may be the first to send (RFC 6581 section 9.2). A Responder does what it is asked
 * @param rtr the kinds of RTR that we send and take, at least one
 * @param startups Responders of one stack whose Startup Phase may be under way at a time, 1 to
 *     2^24; whoever listens resets the connections beyond
 * @param early whether the user can do with ULPDUs before their turn, which Markers lead to when a
 *     segment is missing (RFC 5044 appendix A.5)
 * @param silentDrop whether a segment with an FPDU that is wrong is dropped before TCP has
 *     acknowledged it, so that the peer sends it again, where that may help (RFC 5044 section 8);
 *     otherwise errors 2 and 3 are reported at once. Costs a second CRC of everything received
 * @param packing whether FPDUs that are sent in the same turn of the duty cycle share segments, as
 *     many as fit whole, and MULPDU says what still fits (RFC 5044 section 4.5, appendix A.2)
 */
@RecordBuilder
public record MpaSettings(
    boolean crc,
    boolean markers,
    long startupTimeoutNanos,
    int revision,
    boolean permissive,
    boolean startKey,
    boolean streamedPrivateData,
    int ird,
    int ord,
    boolean readsNegotiated,
    boolean peerToPeer,
    Set<Rtr> rtr,
    int startups,
    boolean early,
    boolean silentDrop,
    boolean packing)
    implements MpaSettingsBuilder.With {
  /** CRCs, no Markers, ten seconds, revision 1, no RDMA Reads, any RTR, everything in order. */
  public static final MpaSettings DEFAULTS =
      MpaSettingsBuilder.builder()
          .crc(true)
          .startupTimeoutNanos(10_000_000_000L)
          .revision(StartupFrame.RFC5044)
          .readsNegotiated(true)
          .rtr(Set.of(Rtr.values()))
          .startups(1024)
          .build();

  private static final int DEEPEST = 16382;

  /** Checks the ranges. */
  public MpaSettings {
    require(startupTimeoutNanos > 0, "startup timeout", startupTimeoutNanos);
    require(revision == 1 || revision == 2, "revision", revision);
    require(ird >= 0 && ird <= DEEPEST, "IRD", ird);
    require(ord >= 0 && ord <= DEEPEST, "ORD", ord);
    rtr = Set.copyOf(rtr);
    require(startups >= 1 && startups <= 1 << 24, "startups", startups);
    require(!rtr.isEmpty(), "kinds of RTR", rtr.size());
  }

  private static void require(boolean sound, String name, long value) {
    if (!sound) {
      throw new IllegalArgumentException(name + " " + value + " is out of range");
    }
  }

  /** The same with other depths for RDMA Reads. */
  public MpaSettings withReads(int in, int out) {
    return withIrd(in).withOrd(out);
  }
}
