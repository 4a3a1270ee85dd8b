package org.rddp.tcp.handshake;

import org.rddp.wire.AccEcn;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/** How the ends of a connection tell each other of congestion. */
public enum EcnFeedback {
  /** Not at all: no packet may be marked. */
  NONE,
  /** By ECE and CWR (RFC 3168). */
  CLASSIC,
  /** By counters (RFC 9768). */
  ACCURATE;

  private static final int CLASSIC_SYN = Tcp.ECE | Tcp.CWR;
  private static final int NONCE = Tcp.AE | Tcp.ECE;

  /**
   * What a SYN or a SYN-ACK of the peer settles (RFC 9768 table 2).
   *
   * @param repeated whether our SYN was sent more than once
   */
  public static EcnFeedback of(SynOffer offer, TcpSegment syn, boolean repeated) {
    if (!offer.ecn()) {
      return NONE;
    }
    return syn.has(Tcp.ACK) ? answered(offer, syn, repeated) : asked(offer, syn, repeated);
  }

  private static EcnFeedback asked(SynOffer offer, TcpSegment syn, boolean repeated) {
    if (offer.acceptsAccurate() && asksAccurate(syn)) {
      return ACCURATE; // ACC-3.1.1-03, ACC-3.1.3-01
    }
    // ACC-3.1.2-02, ACC-3.1.2-03
    return (syn.flags & CLASSIC_SYN) == CLASSIC_SYN && !repeated ? CLASSIC : NONE;
  }

  /**
   * Whether a SYN asks for accurate ECN: as any combination does that is neither no ECN nor RFC
   * 3168's (RFC 9768 section 3.1.3).
   */
  public static boolean asksAccurate(TcpSegment syn) {
    int flags = syn.flags & AccEcn.FLAGS;
    return flags != 0 && flags != CLASSIC_SYN;
  }

  /** Whether a SYN asks for ECN by RFC 3168, and nothing more. */
  public static boolean asksClassic(TcpSegment syn) {
    return (syn.flags & AccEcn.FLAGS) == CLASSIC_SYN;
  }

  private static EcnFeedback answered(SynOffer offer, TcpSegment syn, boolean repeated) {
    if (!offer.asksAccurate()) {
      // Not if the flags are ours, returned unchanged by a middlebox (RFC 3168 section 6.1.1).
      return (syn.flags & CLASSIC_SYN) == Tcp.ECE && !repeated ? CLASSIC : NONE;
    }
    int flags = syn.flags & AccEcn.FLAGS;
    if (flags == Tcp.ECE) {
      return CLASSIC; // ACC-3.1.2-01
    }
    // ACC-3.1.1-04, ACC-3.1.3-02
    boolean accurate = flags == NONCE || AccEcn.codepoint(AccEcn.ace(flags)) != AccEcn.UNKNOWN;
    return accurate ? ACCURATE : NONE;
  }

  /**
   * What the acknowledgment of a SYN cookie settles (RFC 9768 section 5.1).
   *
   * @param classic whether the cookie recalls a SYN that asked for ECN by RFC 3168
   */
  static EcnFeedback ofCookie(SynOffer offer, TcpSegment acknowledgment, boolean classic) {
    if (!offer.ecn()) {
      return NONE;
    }
    if (classic) {
      return CLASSIC;
    }
    boolean accurate = offer.acceptsAccurate() && AccEcn.ace(acknowledgment.flags) > 1;
    return accurate ? ACCURATE : NONE;
  }
}
