package org.rddp.tcp.handshake;

import org.rddp.wire.TcpOptions;

/**
 * The options that we offer in a SYN.
 *
 * @param windowScale whether windows may be scaled (RFC 7323 section 2)
 * @param timestamps RFC 7323 section 3
 * @param sack RFC 2018
 * @param ecn RFC 3168; flags, not an option
 * @param acceptsAccurate whether accurate ECN is used with peers that ask for it (RFC 9768)
 * @param asksAccurate whether our SYN asks for it
 * @param receiveBuffer octets; determines our window and its scale
 */
public record SynOffer(
    boolean windowScale,
    boolean timestamps,
    boolean sack,
    boolean ecn,
    boolean acceptsAccurate,
    boolean asksAccurate,
    int receiveBuffer) {
  /** The shift of our windows, if they are scaled. */
  public int windowShift() {
    return TcpOptions.windowShift(receiveBuffer);
  }
}
