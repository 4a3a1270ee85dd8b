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
 */
public record Negotiated(
    boolean crc,
    boolean sendMarkers,
    boolean receiveMarkers,
    int revision,
    int version,
    Depths depths,
    Set<Rtr> rtr) {
  /** What holds towards a peer that has closed instead of sending its frame. */
  static Negotiated withoutFrame(MpaSettings settings) {
    return new Negotiated(false, false, false, 0, 0, Depths.unknown(settings), Set.of());
  }

  /** Negotiates our settings with the peer's frame. */
  static Negotiated between(MpaSettings settings, boolean initiator, StartupFrame peer) {
    boolean draft = peer.kind() == Kind.START_KEY;
    boolean rdmac = !draft && peer.revision() == StartupFrame.RDMAC;
    Depths depths = Depths.unknown(settings);
    Set<Rtr> rtr = Set.of();
    if (peer.enhanced()) {
      Enhancement theirs = peer.enhancement();
      rtr = initiator ? theirs.chosen(settings) : theirs.accepted(settings);
      depths = theirs.depths(settings, !initiator && rtr.contains(Rtr.READ));
    }
    return new Negotiated(
        settings.crc() || peer.crc() || rdmac,
        peer.markers(),
        settings.markers() || rdmac,
        peer.revision(),
        draft || rdmac ? 0 : 1,
        depths,
        rtr);
  }
}
