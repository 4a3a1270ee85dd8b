package org.rddp.mpa;

/**
 * What the two startup frames settle for the life of a connection (RFC 5044 section 7.1.1).
 *
 * @param crc CRCs are generated and checked: either side wanted them
 * @param sendMarkers our FPDUs carry Markers: the peer requires them
 * @param receiveMarkers the peer's FPDUs carry Markers: we required them
 * @param revision the peer's MPA revision
 * @param version the version that DDP and RDMAP put into their headers
 */
record Negotiated(
    boolean crc, boolean sendMarkers, boolean receiveMarkers, int revision, int version) {
  /** The version of DDP and RDMAP that goes with RFC 5044's revision. */
  private static final int IETF_VERSION = 1;

  /** Settles what we want with what the peer's frame says. */
  static Negotiated between(MpaSettings settings, StartupFrame peer) {
    return new Negotiated(
        settings.crc() || peer.crc(),
        peer.markers(),
        settings.markers(),
        peer.revision(),
        IETF_VERSION);
  }
}
