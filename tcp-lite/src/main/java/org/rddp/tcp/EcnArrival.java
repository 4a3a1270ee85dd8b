package org.rddp.tcp;

import org.rddp.tcp.handshake.EcnFeedback;
import org.rddp.tcp.handshake.SynOffer;
import org.rddp.tcp.loss.Acknowledgment;
import org.rddp.wire.AccEcn;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * Takes from arriving segments what they say of congestion, on their own way and on ours: by RFC
 * 3168, RFC 8257 and, with accurate ECN, RFC 9768.
 */
final class EcnArrival {
  /** SYN-ACKs that ask for accurate ECN before one without it is sent. */
  private static final int ACCURATE_SYN_ACKS = 2;

  private final SynOffer offer;

  EcnArrival(SynOffer offer) {
    this.offer = offer;
  }

  /** Takes the peer's SYN or SYN-ACK, once options are settled. */
  void negotiated(TcpConnection connection, TcpSegment syn) {
    AccEcnState accurate = connection.accurate;
    if (accurate == null) {
      return;
    }
    if (!syn.has(Tcp.ACK)) {
      accurate.received.syn(syn.ecn); // ACC-3.1.1-02
      return;
    }
    accurate.received.synAck(syn.ecn); // ACC-3.2.2.1-01
    accurate.sent.begin(syn.options.accEcn);
    if (connection.synRepeats > 0 && connection.marked) {
      return; // our SYNs had different codepoints
    }
    int arrived = AccEcn.codepoint(AccEcn.ace(syn.flags));
    told(connection, connection.marked ? Ipv4.ECT_0 : Ipv4.NOT_ECT, arrived);
  }

  /** Takes the codepoint with which our SYN or SYN-ACK has arrived. */
  private static void told(TcpConnection connection, int sent, int arrived) {
    if (AccEcn.mangled(sent, arrived)) { // ACC-3.2.2.3-01
      connection.ecn = false;
    }
    if (arrived == Ipv4.CE) {
      connection.sender.congestion.onSynLost();
    }
  }

  /**
   * Takes a repeated SYN of the peer.
   *
   * @return false if it contradicts the first one, so that the connection must be reset
   */
  boolean synRepeated(TcpConnection connection, TcpSegment syn) {
    if (connection.accurate == null) {
      boolean classic = connection.ecn;
      // ACC-3.1.5-01, ACC-3.1.5-09
      connection.ecn &=
          EcnFeedback.of(offer, syn, connection.synRepeats > 0) == EcnFeedback.CLASSIC;
      return !(classic && offer.acceptsAccurate() && EcnFeedback.asksAccurate(syn));
    }
    if (EcnFeedback.asksClassic(syn)) { // ACC-3.1.5-04
      return false;
    }
    connection.accurate.received.syn(syn.ecn); // ACC-3.1.5-06
    if (EcnFeedback.asksAccurate(syn)) {
      connection.accurate.received.withoutOptions(); // ACC-3.2.3.2.2-01
    } else {
      connection.ecn = false; // ACC-3.1.5-07, ACC-3.1.5-08
    }
    return true;
  }

  /** The flags of our SYN. */
  int synFlags(TcpConnection connection) {
    boolean first = connection.synRepeats == 0;
    if (!offer.ecn() || (!first && !(offer.asksAccurate() && connection.synRepeats == 1))) {
      // A middlebox may drop SYNs that offer ECN (RFC 3168 6.1.1.1).
      return Tcp.SYN; // ACC-3.1.4.1-01, ACC-3.1.5-02
    }
    return Tcp.SYN | (offer.asksAccurate() ? AccEcn.FLAGS : Tcp.ECE | Tcp.CWR); // ACC-3.1.1-01
  }

  /** The flags of our SYN-ACK. */
  int synAckFlags(TcpConnection connection) {
    int flags = Tcp.SYN | Tcp.ACK; // ACC-3.1.5-03
    if (connection.accurate == null) {
      return connection.ecn ? flags | Tcp.ECE : flags;
    }
    if (connection.synRepeats > 0) {
      connection.accurate.received.withoutOptions(); // ACC-3.2.3.2.2-01
    }
    if (connection.synRepeats >= ACCURATE_SYN_ACKS) {
      connection.ecn = false; // ACC-3.1.5-08
      return flags; // ACC-3.2.3.2.2-02
    }
    return flags | AccEcn.flags(connection.accurate.received.aceOfSyn());
  }

  /** Takes the first acknowledgment of our SYN-ACK (RFC 9768 section 3.2.2.1). */
  void established(TcpConnection connection, TcpSegment segment) {
    AccEcnState accurate = connection.accurate;
    if (accurate == null || segment.has(Tcp.SYN)) {
      return;
    }
    accurate.sent.begin(segment.options.accEcn);
    int ace = AccEcn.ace(segment.flags);
    if (ace == 0) { // ACC-3.2.2.1-04
      connection.ecn = false;
      accurate.sent.ignore();
    } else if (segment.length == 0 && segment.options.sackBlocks() == 0) {
      int arrived = AccEcn.codepoint(ace);
      boolean capable =
          connection.marked
              && connection.synRepeats < ACCURATE_SYN_ACKS
              && connection.lastReceivedAt != TcpConnection.UNKNOWN;
      told(connection, capable ? Ipv4.ECT_0 : Ipv4.NOT_ECT, arrived);
      if (arrived == Ipv4.CE) { // ACC-3.2.2.1-03
        accurate.sent.synAckMarked();
      }
    }
  }

  /** Answers a SYN-ACK that comes again, with its codepoint. */
  void synAckRepeated(TcpConnection connection, TcpSegment segment, long position) {
    boolean tells =
        connection.accurate != null
            && connection.listener == null
            && position == -1
            && segment.has(Tcp.ACK)
            && AccEcn.codepoint(AccEcn.ace(segment.flags)) != AccEcn.UNKNOWN;
    if (tells) {
      connection.accurate.received.synAck(segment.ecn); // ACC-3.2.2.1-02
    }
    connection.challenge();
    if (tells) {
      connection.accurate.received.synAckTold();
    }
  }

  /**
   * Counts an acceptable segment, with payload or without, before it is processed.
   *
   * @param count packets that it was, if something has merged them
   */
  void arrived(TcpConnection connection, TcpSegment segment, int count) {
    AccEcnState accurate = connection.accurate;
    Receiver receiver = connection.receiver;
    if (accurate.received.overflows(segment.ecn, count)) { // ACC-3.2.2.5.1-02
      connection.acknowledgeNow();
    }
    if (accurate.received.arrived(segment.ecn, count, segment.length)) { // ACC-3.2.2.5.1-01
      // An acknowledgment of acknowledgments must not look like a duplicate.
      if (segment.length > 0 || (connection.agreed.sack() && receiver.early() == null)) {
        receiver.requestAcknowledgment();
      }
    }
    if (connection.sender.unacknowledged() == 0) {
      accurate.sent.idle(AccEcn.ace(segment.flags));
    }
  }

  /**
   * Processes the signals of a segment with data by RFC 3168. With DCTCP what came before a change
   * of the mark is acknowledged by itself, so that the peer can count the marked octets (RFC 8257
   * section 3.2).
   */
  void classic(TcpConnection connection, TcpSegment segment) {
    Receiver receiver = connection.receiver;
    boolean experienced = segment.ecn == Ipv4.CE;
    if (!connection.marked) {
      receiver.congestion(segment.has(Tcp.CWR), experienced);
    } else if (experienced != receiver.echoesCongestion()) {
      if (receiver.acknowledgmentPending()) {
        connection.acknowledgeNow();
      }
      receiver.congestionChanged();
    }
  }

  /** Takes what an acknowledgment says of congestion, for loss recovery. */
  void feedback(TcpConnection connection, TcpSegment segment, Acknowledgment a) {
    boolean classic = connection.accurate == null;
    a.congestion = classic && connection.ecn && segment.has(Tcp.ECE);
    a.feedback = classic ? null : connection.accurate.sent;
  }

  /** Sends nothing that can be marked any more if the feedback contradicts itself. */
  void checkFeedback(TcpConnection connection) {
    if (connection.accurate != null && connection.accurate.sent.mangled()) {
      connection.ecn = false;
    }
  }

  /** A segment was sent again. */
  void retransmitted(TcpConnection connection) {
    if (connection.accurate != null) {
      connection.accurate.received.lost(connection.sender.una()); // ACC-3.2.3.2.2-03
    }
  }

  /** Whether an acknowledgment says nothing of congestion. */
  boolean isQuiet(TcpConnection connection, TcpSegment segment, long octets) {
    if (connection.accurate == null) {
      return !segment.has(Tcp.ECE);
    }
    long most = Math.ceilDiv(octets, connection.sender.emss());
    return connection.accurate.sent.isQuiet(
        AccEcn.ace(segment.flags), segment.options.accEcn, most);
  }
}
