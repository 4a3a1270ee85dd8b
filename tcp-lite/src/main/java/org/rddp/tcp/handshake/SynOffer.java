package org.rddp.tcp.handshake;

import org.rddp.wire.TcpOptions;

/**
 * What we offer in a SYN.
 *
 * @param ecn RFC 3168; flags, not an option
 * @param acceptsAccurate whether accurate ECN is used with peers that ask for it (RFC 9768)
 * @param asksAccurate whether our SYN asks for it
 * @param receiveBuffer octets; determines our window and its scale
 */
public record SynOffer(
    SynChoices options,
    boolean ecn,
    boolean acceptsAccurate,
    boolean asksAccurate,
    int receiveBuffer) {
  /** The shift of our windows, if they are scaled. */
  public int windowShift() {
    return TcpOptions.windowShift(receiveBuffer);
  }
}
