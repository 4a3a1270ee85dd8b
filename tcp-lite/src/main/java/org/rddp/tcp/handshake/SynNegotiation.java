package org.rddp.tcp.handshake;

import org.rddp.wire.TcpSegment;

/**
 * What both ends have agreed on by their SYNs (RFC 9293 section 3.7.1, RFC 7323, RFC 2018, RFC
 * 3168, RFC 9768).
 *
 * @param ecn how congestion is fed back
 * @param mss the peer's MSS
 * @param windowShift the shift of the peer's windows, 0 if windows are not scaled
 */
public record SynNegotiation(SynChoices options, EcnFeedback ecn, int mss, int windowShift) {
  /**
   * The least MSS of a peer that is believed: a link with an MTU of 256 octets. A peer that states
   * less would have us send, for a few octets of its own, a multitude of frames. A SYN cookie
   * encodes it, too.
   */
  static final int LEAST_MSS = 216;

  /** The MSS of a peer that states none (RFC 9293 section 3.7.1). */
  private static final int DEFAULT_MSS = 536;

  /** And over IPv6. */
  private static final int DEFAULT_MSS_IPV6 = 1220;

  /**
   * The result of our offer and the peer's SYN or SYN-ACK.
   *
   * @param ipv6 whether the connection is over IPv6
   * @param retransmitted whether our SYN was sent more than once
   */
  public static SynNegotiation of(
      SynOffer offer, TcpSegment syn, boolean ipv6, boolean retransmitted) {
    SynChoices agreed = offer.options().and(syn.options);
    return new SynNegotiation(
        agreed,
        EcnFeedback.of(offer, syn, retransmitted),
        mss(syn, ipv6),
        agreed.windowScale() ? syn.options.windowScale() : 0);
  }

  /**
   * The result of a handshake by SYN cookie. The SYN was not kept, so its options come from the
   * acknowledgment.
   */
  public static SynNegotiation ofCookie(SynOffer offer, TcpSegment acknowledgment) {
    SynChoices offered = offer.options();
    boolean stamped = offered.timestamps() && acknowledgment.options.timestamps();
    int echo = acknowledgment.options.timestampEcho();
    int shift = stamped && offered.windowScale() ? SynCookies.windowScale(echo) : -1;
    return new SynNegotiation(
        new SynChoices(shift >= 0, stamped, stamped && offered.sack() && SynCookies.sack(echo))
            .shared(),
        EcnFeedback.ofCookie(offer, acknowledgment, stamped && SynCookies.ecn(echo)),
        SynCookies.mss(acknowledgment.acknowledgment - 1),
        Math.max(shift, 0));
  }

  /** The MSS of the peer that has sent a SYN, at least {@link #LEAST_MSS}. */
  static int mss(TcpSegment syn, boolean ipv6) {
    if (syn.options.mss() > 0) {
      return Math.max(syn.options.mss(), LEAST_MSS);
    }
    return ipv6 ? DEFAULT_MSS_IPV6 : DEFAULT_MSS;
  }
}
