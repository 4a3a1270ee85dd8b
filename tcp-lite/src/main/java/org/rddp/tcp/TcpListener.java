package org.rddp.tcp;

import org.rddp.tcp.handshake.SynCookies;

/** A port on which connections are accepted: the LISTEN state. On the engine's thread only. */
public final class TcpListener {
  private final TcpStack stack;
  private final int port;
  private final Acceptor acceptor;
  private final int backlog;
  private int pending;
  private boolean closed;

  /** Until then a cookie that was given in the listener's name may come back. */
  private long cookiesUntil = Long.MIN_VALUE;

  TcpListener(TcpStack stack, int port, Acceptor acceptor, int backlog) {
    this.stack = stack;
    this.port = port;
    this.acceptor = acceptor;
    this.backlog = backlog;
  }

  /** The local port. */
  public int port() {
    return port;
  }

  /**
   * Accepts no more. Connections that were established stay; handshakes under way are refused as
   * soon as their peer is heard of, or should be.
   */
  public void close() {
    closed = true;
    stack.remove(this);
  }

  boolean closed() {
    return closed;
  }

  Acceptor acceptor() {
    return acceptor;
  }

  /** Whether there is a place among the handshakes under way. */
  boolean room() {
    return pending < backlog;
  }

  /** A cookie is given in the listener's name. */
  void givesCookie(long now) {
    cookiesUntil = now + 2 * SynCookies.PERIOD;
  }

  /** Whether a cookie may be about: otherwise nobody is believed to bring one. */
  boolean expectsCookies(long now) {
    return now < cookiesUntil;
  }

  /** Takes a place; one that comes from a cookie takes it for a moment even if there is none. */
  void enter() {
    pending++;
  }

  /** Gives the place back. */
  void leave() {
    pending--;
  }
}
