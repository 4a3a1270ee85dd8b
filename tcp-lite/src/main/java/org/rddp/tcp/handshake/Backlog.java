package org.rddp.tcp.handshake;

import org.rddp.snapshot.Snapshot;

/**
 * The handshakes in progress on one port, up to a limit, and how long its SYN cookies are valid.
 */
public final class Backlog {
  private final int limit;
  private int handshakes;
  private long cookiesUntil = Long.MIN_VALUE;

  /** Creates a backlog for {@code limit} handshakes. */
  public Backlog(int limit) {
    this.limit = limit;
  }

  boolean hasRoom() {
    return handshakes < limit;
  }

  /** Adds a handshake. One from a cookie may exceed the limit for a moment. */
  public void add() {
    handshakes++;
  }

  /** Removes a handshake that has ended. */
  public void remove() {
    handshakes--;
  }

  void cookieSent(long now) {
    cookiesUntil = now + 2 * SynCookies.PERIOD;
  }

  /** Whether a cookie may still be valid; otherwise segments are not checked for one. */
  boolean expectsCookies(long now) {
    return now < cookiesUntil;
  }

  /** Transfers its state, but for the handshakes, which are counted anew. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(Backlog.class);
    cookiesUntil = snapshot.number("cookiesUntil", cookiesUntil);
    snapshot.end();
  }
}
