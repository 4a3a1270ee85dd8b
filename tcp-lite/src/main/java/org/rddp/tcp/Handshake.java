package org.rddp.tcp;

import java.util.random.RandomGenerator;
import org.rddp.ip.HandOver;
import org.rddp.ip.Path;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.handshake.Admission;
import org.rddp.tcp.handshake.PeerAccount;
import org.rddp.tcp.handshake.SynNegotiation;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/** Opens connections: sends and processes SYNs (RFC 9293 sections 3.5 and 3.10.1). */
final class Handshake {
  private final StackContext context;
  private final StatelessOutput replies;
  private final Admission admission;

  Handshake(StackContext context, StatelessOutput replies, RandomGenerator random) {
    this.context = context;
    this.replies = replies;
    admission =
        new Admission(
            context.peers, context.settings.connections(), context.settings.synCookies(), random);
  }

  /**
   * Handles a segment without a connection.
   *
   * @param former the incarnation that was in TIME-WAIT until this SYN came, or null
   * @return the connection made from a valid cookie, which must still process the segment;
   *     otherwise null
   */
  TcpConnection unconnected(long key, TcpSegment segment, TcpConnection former) {
    TcpListener found = context.listeners.get(segment.localPort);
    Path path = context.ip.path(segment.path);
    boolean takes = found != null && found.takes(path, segment.remotePort);
    TcpListener listener = takes ? found : null;
    long identity = context.secrets.identity(path, key);
    Admission.Decision decision =
        admission.decide(
            identity,
            path,
            segment,
            listener == null ? null : listener.backlog,
            context.peers.connections(),
            context.now);
    if (concernsOthers(decision, path, segment)) {
      return null;
    }
    switch (decision) {
      case ACCEPT_COOKIE -> {
        return acceptCookie(listener, key, path, segment);
      }
      case START_HANDSHAKE -> accept(listener, key, path, segment, former);
      case SEND_COOKIE -> sendCookie(listener, identity, path, segment);
      default -> refuse(decision, path, segment);
    }
    return null;
  }

  /**
   * Hands the segment over to another stack if that may have its connection. Returns whether it was
   * handed over, or must not be reset because another stack asked for that.
   */
  private boolean concernsOthers(Admission.Decision decision, Path path, TcpSegment segment) {
    HandOver handOver = context.ip.handOver();
    return (decision.mayConcernOthers() && handOver.segment(path, segment, !decision.resets()))
        || (decision.resets() && handOver.isQuiet());
  }

  private void sendCookie(TcpListener listener, long identity, Path path, TcpSegment syn) {
    int cookie = admission.cookie(identity, path, syn, listener.backlog, context.now);
    int clock = context.timestampClock() + context.secrets.timestampOffset(identity);
    replies.cookie(path, syn, cookie, clock);
  }

  private void refuse(Admission.Decision decision, Path path, TcpSegment segment) {
    switch (decision) {
      case DROP_SYN -> context.counters.synsDropped++;
      case IGNORE_COOKIE, RESET_COOKIE -> context.counters.synCookiesFailed++;
      default -> {}
    }
    if (decision.resets()) {
      replies.reset(path, segment);
    }
  }

  private void accept(
      TcpListener listener, long key, Path path, TcpSegment syn, TcpConnection former) {
    long identity = context.secrets.identity(path, key);
    int sequence =
        former == null
            ? context.secrets.initialSequence(identity, context.now)
            : context.secrets.initialSequenceAfter(
                identity, context.now, former.sender.sequence(former.sender.max()));
    TcpConnection connection = create(listener, key, path, sequence);
    if (connection != null) {
      negotiate(connection, syn);
      sendSyn(connection);
    }
  }

  private TcpConnection acceptCookie(
      TcpListener listener, long key, Path path, TcpSegment segment) {
    TcpConnection connection = create(listener, key, path, segment.acknowledgment - 1);
    if (connection != null) {
      context.counters.synCookiesAccepted++;
      connection.negotiated(
          SynNegotiation.ofCookie(context.offer, segment), segment, segment.sequence - 1);
      connection.sender.synSent();
      connection.lastReceivedAt = TcpConnection.UNKNOWN;
    }
    return connection;
  }

  private TcpConnection create(TcpListener listener, long key, Path path, int sequence) {
    PeerAccount peer = context.peers.addConnection(path);
    if (peer == null) {
      context.counters.synsDropped++;
      return null;
    }
    listener.backlog.add();
    peer.beginHandshake();
    TcpConnection connection = new TcpConnection(context, key, peer, listener, null, sequence);
    context.connections.add(connection);
    return connection;
  }

  /** Sends our SYN and starts the timer. */
  void sendSyn(TcpConnection connection) {
    boolean answer = connection.state() == TcpState.SYN_RECEIVED;
    if (context.output.syn(connection, answer)) {
      connection.sender.synSent();
    }
    connection.retransmitAt = context.now + connection.sender.timeout.current();
    connection.reschedule();
  }

  /** Sends our SYN again after a timeout, unless its listener has been closed. */
  void retransmitSyn(TcpConnection connection) {
    connection.sender.timeout.backOff();
    sendSynAgain(connection);
  }

  /**
   * Sends our SYN again, unless its listener has been closed. One that was dropped for want of a
   * security association was not lost.
   */
  void sendSynAgain(TcpConnection connection) {
    if (connection.listener != null && connection.listener.closed()) {
      connection.reset();
      connection.terminate(CloseReason.ABORTED);
      return;
    }
    if (connection.sender.unsealed) {
      connection.sender.unsealed = false;
      connection.lastReceivedAt = context.now;
    } else {
      connection.synRepeats = (byte) Math.min(connection.synRepeats + 1, Byte.MAX_VALUE);
      context.counters.retransmitted++;
    }
    sendSyn(connection);
  }

  /** Takes the options of the peer's SYN or SYN-ACK. */
  void negotiate(TcpConnection connection, TcpSegment syn) {
    boolean ipv6 = connection.path().isIpv6();
    connection.negotiated(
        SynNegotiation.of(context.offer, syn, ipv6, connection.synRepeats > 0), syn, syn.sequence);
    context.ecn.negotiated(connection, syn);
  }

  /** Answers a repeated SYN of the peer again. */
  void synRepeated(TcpConnection connection, TcpSegment syn) {
    if (context.ecn.synRepeated(connection, syn)) {
      sendSyn(connection);
    } else {
      connection.reset();
      connection.terminate(CloseReason.ABORTED);
    }
  }

  /** Continues after the SYNs have crossed: simultaneous open (RFC 9293 section 3.5). */
  void openSimultaneously(TcpConnection connection) {
    connection.become(TcpState.SYN_RECEIVED); // ACC-3.1.2-04
    sendSyn(connection);
  }

  /** Establishes the connection: our SYN is acknowledged. */
  void establish(TcpConnection connection, TcpSegment segment, long position) {
    TcpListener listener = connection.listener;
    if (listener != null && listener.closed()) {
      replies.reset(connection.path(), segment);
      connection.terminate(CloseReason.ABORTED);
      return;
    }
    long synSentAt = connection.lastReceivedAt;
    Sender sender = connection.sender;
    if (listener != null) {
      context.ecn.established(connection, segment);
    }
    connection.become(TcpState.ESTABLISHED);
    connection.retransmitAt = Long.MAX_VALUE;
    connection.received();
    context.timers.startKeepAlive(connection);
    sender.synAcknowledged(segment, position);
    if (connection.synRepeats > 0) {
      sender.timeout.synWasLost();
      sender.congestion.onSynLost();
    } else if (synSentAt != TcpConnection.UNKNOWN) {
      sender.timeout.measured(context.now - synSentAt, context.now);
    }
    context.counters.established++;
    if (listener != null) {
      connection.handshakeDone();
      context.upcalls.accept(connection, listener.acceptor);
    }
    if (connection.accurate != null && listener == null && segment.has(Tcp.ACK)) {
      connection.acknowledgeNow(); // before data: it tells of the SYN-ACK
    }
    connection.opened();
  }

  /** Whether a segment of a handshake in progress seems to acknowledge a cookie of ours. */
  boolean hasCookie(TcpConnection connection, TcpSegment segment) {
    return connection.state() == TcpState.SYN_RECEIVED
        && connection.listener != null
        && admission.hasCookie(
            connection.identity(),
            segment,
            connection.listener.backlog,
            connection.sender.sequence(-1),
            context.now);
  }

  /**
   * Whether a connection by cookie replaces a handshake in progress: see {@link
   * Admission#hasValidCookie}.
   */
  boolean hasValidCookie(TcpConnection connection, TcpSegment segment) {
    return connection.state() == TcpState.SYN_RECEIVED
        && connection.listener != null
        && admission.hasValidCookie(
            connection.identity(),
            segment,
            connection.listener.backlog,
            connection.sender.sequence(-1),
            connection.receiver.acknowledgment(),
            context.now);
  }

  /** Transfers the keys of SYN cookies. */
  void transfer(Snapshot snapshot) {
    admission.transfer(snapshot);
  }
}
