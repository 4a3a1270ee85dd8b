package org.rddp.tcp.handshake;

import java.util.random.RandomGenerator;
import org.rddp.ip.Path;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * Decides about segments that belong to no connection, in LISTEN and CLOSED (RFC 9293 sections
 * 3.10.7.1 and 3.10.7.2): within the limits of the stack, the port and the peer a SYN starts a
 * handshake; beyond the backlog it is answered by a SYN cookie.
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
    /** The acknowledgment of a valid cookie: make the connection. */
    ACCEPT_COOKIE,
    /** A wrong or old cookie with our mark: ignore. */
    IGNORE_COOKIE,
    /** Not a cookie of ours: answer with a reset. */
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
   * Creates an instance that has sent no cookies.
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
   * @param key that identifies its connection
   * @param path of its sender
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
    return syn ? syn(path, backlog, room) : Decision.IGNORE;
  }

  private Decision syn(Path path, Backlog backlog, boolean room) {
    if (!room) {
      return Decision.DROP_SYN;
    }
    if (peers.mayStartHandshake(path) && backlog.hasRoom()) {
      return Decision.START_HANDSHAKE;
    }
    return sendsCookies ? Decision.SEND_COOKIE : Decision.DROP_SYN;
  }

  /**
   * Decides about an acknowledgment in LISTEN: of a cookie, or to be reset. A segment with our mark
   * that does not directly follow the SYN may come from a peer whose first segment was lost. The
   * peer will send that again, so this segment is dropped, although RFC 9293 requires a reset.
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
  public int cookie(long key, Path path, TcpSegment syn, Backlog backlog, long now) {
    backlog.cookieSent(now);
    return cookies.make(key, syn.sequence, SynNegotiation.mss(syn, path.isIpv6()), now);
  }

  /**
   * Whether a segment of a handshake in progress acknowledges a valid cookie, which answered the
   * same SYN while there was no room. The peer has then accepted the cookie and not the handshake's
   * answer. The answers may differ in their options, so the connection must be made from the
   * cookie.
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

  /** Transfers the keys of the cookies. */
  public void transfer(Snapshot snapshot) {
    cookies.transfer(snapshot);
  }
}
