package org.rddp.tcp.handshake;

import java.util.random.RandomGenerator;
import org.rddp.ip.Path;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * Decides about segments that belong to no connection, in LISTEN and CLOSED (RFC 9293 sections
 * 3.10.7.1 and 3.10.7.2): within the limits of the stack, the port and the peer a SYN starts a
 * handshake, beyond them it gets a SYN cookie.
 */
public final class Admission {
  /** The decision about a segment. */
  public enum Decision {
    /** Drop it. */
    IGNORE,
    /** Answer with a reset. */
    RESET,
    /** A SYN beyond the limits: drop it. */
    DROP_SYN,
    /** A SYN within the limits: make a connection and answer. */
    START_HANDSHAKE,
    /** A SYN beyond the backlog: answer with {@link #cookie}. */
    SEND_COOKIE,
    /** The acknowledgment of a valid cookie: make its connection. */
    ACCEPT_COOKIE,
    /** A wrong or old cookie with the mark of ours: ignore. */
    IGNORE_COOKIE,
    /** A number that is no cookie of ours: answer with a reset. */
    RESET_COOKIE;

    /** Whether the segment is answered by a reset. */
    public boolean resets() {
      return this == RESET || this == RESET_COOKIE;
    }

    /** Whether the segment may belong to a connection or a listener of another stack. */
    public boolean mayConcernOthers() {
      return this == IGNORE || this == RESET || this == IGNORE_COOKIE || this == RESET_COOKIE;
    }
  }

  private final Peers peers;
  private final SynCookies cookies;
  private final int mostConnections;
  private final boolean sendsCookies;

  /**
   * No cookies have been sent yet.
   *
   * @param mostConnections connections that the stack may have
   * @param sendsCookies whether SYN cookies are used
   */
  public Admission(Peers peers, int mostConnections, boolean sendsCookies, RandomGenerator random) {
    this.peers = peers;
    this.mostConnections = mostConnections;
    this.sendsCookies = sendsCookies;
    cookies = new SynCookies(random);
  }

  /**
   * Decides about a segment without a connection.
   *
   * @param key that tells its connection from all others
   * @param path that it has come by
   * @param backlog of the port's listener; null if there is none
   * @param connections of the interface now
   */
  public Decision decide(
      long key, Path path, TcpSegment segment, Backlog backlog, int connections, long now) {
    if (segment.has(Tcp.RST)) {
      return Decision.IGNORE;
    }
    if (backlog == null || (segment.has(Tcp.SYN) && segment.has(Tcp.ACK))) {
      return Decision.RESET;
    }
    boolean room = connections < mostConnections && peers.mayConnect(path);
    if (segment.has(Tcp.ACK)) {
      return acknowledged(key, segment, backlog, room, now);
    }
    boolean syn = segment.has(Tcp.SYN) && !segment.has(Tcp.FIN);
    return syn ? syn(path, segment, backlog, room) : Decision.IGNORE;
  }

  private Decision syn(Path path, TcpSegment syn, Backlog backlog, boolean room) {
    if (!room) {
      return Decision.DROP_SYN;
    }
    if (peers.mayStartHandshake(path) && backlog.hasRoom()) {
      return Decision.START_HANDSHAKE;
    }
    return sendsCookies && SynCookies.canEncode(SynNegotiation.mss(syn))
        ? Decision.SEND_COOKIE
        : Decision.DROP_SYN;
  }

  /**
   * An acknowledgment in LISTEN: of a cookie, or to be reset. A segment with a cookie of ours that
   * does not follow the SYN may be from a peer whose first segment is lost. That one will be sent
   * again, so the segment is dropped, where RFC 9293 requires a reset.
   */
  private Decision acknowledged(
      long key, TcpSegment segment, Backlog backlog, boolean room, long now) {
    if (!backlog.expectsCookies(now)) {
      return Decision.RESET;
    }
    int cookie = segment.acknowledgment - 1;
    if (cookies.check(key, segment.sequence - 1, cookie, now) > 0) {
      return room ? Decision.ACCEPT_COOKIE : Decision.DROP_SYN;
    }
    return cookies.hasMark(key, cookie, now) ? Decision.IGNORE_COOKIE : Decision.RESET_COOKIE;
  }

  /** The cookie that answers a SYN: our initial sequence number. */
  public int cookie(long key, TcpSegment syn, Backlog backlog, long now) {
    backlog.cookieSent(now);
    return cookies.make(key, syn.sequence, SynNegotiation.mss(syn), now);
  }

  /**
   * Whether a segment of a handshake in progress acknowledges a valid cookie that answered the same
   * SYN while there was no room. The peer has then taken that answer and not the handshake's, and
   * the connection must become the cookie's: the answers may differ in their options.
   *
   * @param initialSequence of the handshake's answer
   * @param expected RCV.NXT of the handshake
   */
  public boolean hasValidCookie(
      long key, TcpSegment segment, Backlog backlog, int initialSequence, int expected, long now) {
    return hasCookie(key, segment, backlog, initialSequence, now)
        && segment.sequence == expected
        && cookies.check(key, segment.sequence - 1, segment.acknowledgment - 1, now) > 0;
  }

  /**
   * Whether a segment of a handshake in progress seems to acknowledge a cookie of ours.
   *
   * @param backlog that the handshake is in
   */
  public boolean hasCookie(
      long key, TcpSegment segment, Backlog backlog, int initialSequence, long now) {
    return backlog.expectsCookies(now)
        && (segment.flags & (Tcp.SYN | Tcp.ACK | Tcp.RST)) == Tcp.ACK
        && segment.acknowledgment != initialSequence + 1
        && cookies.hasMark(key, segment.acknowledgment - 1, now);
  }
}
