package org.rddp.mpa;

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
 * @param ird RDMA Reads of the peer to be served at a time
 * @param ord RDMA Reads of our own that may be outstanding at a time
 * @param rtr the RTR that the Initiator's first FPDU must be; null if it may be anything
 */
record Negotiated(
    boolean crc,
    boolean sendMarkers,
    boolean receiveMarkers,
    int revision,
    int version,
    int ird,
    int ord,
    Rtr rtr) {
  /** Negotiates our settings with the peer's frame. */
  static Negotiated between(MpaSettings settings, boolean initiator, StartupFrame peer) {
    boolean draft = peer.kind() == Kind.START_KEY;
    boolean rdmac = !draft && peer.revision() == StartupFrame.RDMAC;
    int ird = settings.ird();
    int ord = settings.ord();
    Rtr rtr = null;
    if (peer.enhanced()) {
      Enhancement theirs = peer.enhancement();
      if (theirs.peerToPeer()) {
        rtr = initiator ? theirs.named(settings) : theirs.chosen(settings);
      }
      ird = Enhancement.agreed(ird, theirs.ord());
      ord = Enhancement.agreed(ord, theirs.ird());
    }
    return new Negotiated(
        settings.crc() || peer.crc() || rdmac,
        peer.markers(),
        settings.markers() || rdmac,
        peer.revision(),
        draft || rdmac ? 0 : 1,
        ird,
        ord,
        rtr);
  }
}
