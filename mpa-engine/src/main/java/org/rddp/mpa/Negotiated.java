package org.rddp.mpa;

import java.util.Set;
import org.rddp.mpa.StartupFrame.Kind;

/**
 * The parameters of a connection as negotiated by the two startup frames (RFC 5044 section 7.1.1
 * and appendix C, RFC 6581).
 *
 * @param crc CRCs are generated and checked: at least one side asked for them
 * @param sendMarkers our FPDUs carry Markers: the peer requires them
 * @param receiveMarkers the peer's FPDUs carry Markers: we required them, or the peer's revision 0
 *     does
 * @param revision the peer's MPA revision
 * @param version the version that DDP and RDMAP put into their headers
 * @param depths IRD and ORD
 * @param rtr Initiator: the kind of RTR that its first FPDU is; Responder: the kinds that the
 *     Initiator's first FPDU may be. Empty: no RTR
 * @param itself the connection is its own peer
 */
public record Negotiated(
    boolean crc,
    boolean sendMarkers,
    boolean receiveMarkers,
    int revision,
    int version,
    Depths depths,
    Set<Rtr> rtr,
    boolean itself) {
  /** The parameters towards a peer that has closed instead of sending its frame. */
  static Negotiated withoutFrame(MpaSettings settings) {
    return new Negotiated(false, false, false, 0, 0, Depths.unknown(settings), Set.of(), false);
  }

  /** The parameters of a connection that is its own peer. */
  static Negotiated withItself(MpaSettings settings) {
    int ird = settings.ird();
    return new Negotiated(
        settings.crc(),
        settings.markers(),
        settings.markers(),
        StartupFrame.RFC6581,
        1,
        new Depths(ird, settings.ord(), ird, settings.ordInUse(ird)),
        Set.of(),
        true);
  }

  /** Negotiates our settings with the peer's frame. */
  static Negotiated between(MpaSettings settings, boolean initiator, StartupFrame peer) {
    boolean draft = peer.kind() == Kind.START_KEY;
    boolean rdmac = !draft && peer.revision() == StartupFrame.RDMAC; // MPAC-1-06, MPAC-2.3-01
    Depths depths = Depths.unknown(settings);
    Set<Rtr> rtr = Set.of();
    if (peer.enhanced()) {
      Enhancement theirs = peer.enhancement();
      rtr = initiator ? theirs.chosen(settings) : theirs.accepted(settings);
      // P2P-9.1-03, P2P-9.1-11
      depths = theirs.depths(settings, !initiator && rtr.contains(Rtr.READ));
    }
    return new Negotiated(
        // MPA-7.1.1-09, MPA-4.4-08: "When this bit is '1' in either the MPA Request Frame or MPA
        // Reply Frame, CRCs MUST be generated and checked by both endpoints"; MPA-7.1.1-08;
        // MPA-4.4-05: "if both the local and remote endpoints indicate preference not to use CRCs".
        // RDMAC always requires them: MPAC-2.5-02; MPAC-1-07: "both peers MUST generate and check
        // CRCs".
        settings.crc() || peer.crc() || rdmac,
        // MPA-4.3-03: "when their use is declared by the opposing receiver"; MPA-7.1.1-06:
        // "declares that Markers are REQUIRED in FPDUs sent from"; MPA-7.1.1-07: "When in a
        // received MPA Request Frame or MPA Reply Frame and the value is '0', Markers MUST NOT be
        // added". Hence these cells of appendix C. Figure 15: MPAC-F15-06, MPAC-F15-07,
        // MPAC-F15-08, MPAC-F15-09. Figure 16: MPAC-F16-05, MPAC-F16-06, MPAC-F16-07, MPAC-F16-08.
        // Figure 17: MPAC-F17-01, MPAC-F17-02, MPAC-F17-03.
        peer.markers(),
        settings.markers() || rdmac, // MPAC-2.3-01, MPAC-2.5-02, MPAC-F16-03, MPAC-F16-04
        peer.revision(),
        // MPA-3-14: "MPA MUST provide the protocol version negotiated with its peer to DDP";
        // MPAC-1-05: "the DDP and RDMAP version MUST be identical in the two directions", which is
        // 0 with RDMAC: MPAC-2.3-01, MPAC-2.4-02, MPAC-F16-02.
        draft || rdmac ? 0 : 1,
        depths,
        rtr,
        false);
  }
}
