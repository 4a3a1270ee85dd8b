package org.rddp.tcp;

import java.util.random.RandomGenerator;
import org.rddp.tcp.handshake.PeerAccount;
import org.rddp.tcp.handshake.Peers;
import org.rddp.tcp.handshake.SynCookies;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * Who gets a connection: segments without one, in LISTEN and CLOSED (RFC 9293 sections 3.10.7.1 and
 * 3.10.7.2), within the limits of all and of each peer, and SYN cookies beyond them.
 */
final class Admission {
  private final TcpStack stack;
  private final TcpSettings settings;
  private final TcpCounters counters;
  private final TcpConnectionTable connections;
  private final Peers peers;
  private final StatelessOutput output;
  private final SynCookies cookies;

  Admission(
      TcpStack stack,
      TcpConnectionTable connections,
      Peers peers,
      StatelessOutput output,
      RandomGenerator random) {
    this.stack = stack;
    this.connections = connections;
    this.peers = peers;
    this.output = output;
    settings = stack.settings();
    counters = stack.counters();
    cookies = new SynCookies(random);
  }

  /**
   * Handles a segment without a connection.
   *
   * @param former the incarnation that was in TIME-WAIT until this SYN came, or null
   * @return a connection that the segment has brought about and is now to be processed by, or null
   */
  TcpConnection unconnected(long key, TcpSegment segment, TcpConnection former) {
    if (segment.has(Tcp.RST)) {
      return null;
    }
    TcpListener listener = stack.listener(segment.localPort);
    if (listener == null) {
      output.reset(segment);
    } else if (segment.has(Tcp.ACK)) {
      return segment.has(Tcp.SYN) ? refused(segment) : acknowledged(listener, key, segment);
    } else if (segment.has(Tcp.SYN) && !segment.has(Tcp.FIN)) {
      syn(listener, key, segment, former);
    }
    return null;
  }

  private TcpConnection refused(TcpSegment segment) {
    output.reset(segment);
    return null;
  }

  /** Whether there is a place for another connection with an address. */
  private boolean room(int address) {
    return connections.size() < settings.connections() && peers.mayConnect(address);
  }

  private void syn(TcpListener listener, long key, TcpSegment syn, TcpConnection former) {
    int address = syn.remoteAddress;
    if (!room(address)) {
      counters.synsDropped++;
    } else if (peers.mayStartHandshake(address) && listener.room()) {
      int sequence = stack.opening().initialSequence(stack.initialSequence(key), former);
      TcpConnection connection = create(listener, key, address, sequence);
      if (connection != null) {
        stack.opening().negotiate(connection, syn);
        stack.opening().sendSyn(connection);
      }
    } else {
      answerByCookie(listener, key, syn);
    }
  }

  private TcpConnection create(TcpListener listener, long key, int address, int sequence) {
    PeerAccount peer = peers.addConnection(address);
    if (peer == null) {
      counters.synsDropped++;
      return null;
    }
    listener.enter();
    peer.handshakes++;
    TcpConnection connection = stack.connection(key, peer, listener, null, sequence);
    connections.add(connection);
    return connection;
  }

  private void answerByCookie(TcpListener listener, long key, TcpSegment syn) {
    int mss = syn.options.mss() > 0 ? syn.options.mss() : TcpStack.DEFAULT_MSS;
    if (settings.synCookies() && SynCookies.canEncode(mss)) {
      int cookie = cookies.make(key, syn.sequence, mss, stack.now());
      listener.givesCookie(stack.now());
      output.cookie(syn, cookie, stack.timestamp(key));
    } else {
      counters.synsDropped++;
    }
  }

  /**
   * An acknowledgment in LISTEN: that of a cookie, or to be reset. What bears a cookie of ours but
   * does not follow the SYN may be from a peer whose first segment is lost: that will come again,
   * so such a one is dropped, where RFC 9293 would have it reset.
   */
  private TcpConnection acknowledged(TcpListener listener, long key, TcpSegment segment) {
    if (!listener.expectsCookies(stack.now())) {
      return refused(segment);
    }
    int cookie = segment.acknowledgment - 1;
    int mss = cookies.check(key, segment.sequence - 1, cookie, stack.now());
    if (mss == 0) {
      counters.synCookiesFailed++;
      return cookies.hasMark(key, cookie, stack.now()) ? null : refused(segment);
    }
    if (!room(segment.remoteAddress)) {
      counters.synsDropped++;
      return null;
    }
    TcpConnection connection = create(listener, key, segment.remoteAddress, cookie);
    if (connection != null) {
      counters.synCookiesAccepted++;
      stack.opening().negotiate(connection, segment, mss);
    }
    return connection;
  }

  /**
   * Whether a segment to a handshake under way bears the cookie that answered the same SYN when
   * there was no room yet. The peer has taken that answer, not the handshake's, and then the
   * connection is the one that the cookie tells of: the answers may differ in their options, too.
   */
  boolean takesCookie(TcpConnection connection, TcpSegment segment) {
    return bearsCookie(connection, segment)
        && segment.sequence == connection.receiver.acknowledgment()
        && cookies.check(
                connection.key, segment.sequence - 1, segment.acknowledgment - 1, stack.now())
            != 0;
  }

  /** Whether a segment to a handshake under way bears what may be a cookie for its connection. */
  boolean bearsCookie(TcpConnection connection, TcpSegment segment) {
    return connection.state() == TcpState.SYN_RECEIVED
        && (segment.flags & (Tcp.SYN | Tcp.ACK | Tcp.RST)) == Tcp.ACK
        && connection.listener != null
        && connection.listener.expectsCookies(stack.now())
        && segment.acknowledgment != connection.sender.sequence(0)
        && cookies.hasMark(connection.key, segment.acknowledgment - 1, stack.now());
  }
}
