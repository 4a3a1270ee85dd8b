package org.rddp.ip;

import org.rddp.snapshot.Snapshot;

/**
 * One host of the link: its IP address, and its MAC address once known. A user that keeps the entry
 * of {@link Path#route} calls {@link #acquire} and {@link #release}.
 */
final class Neighbour {
  static final long UNKNOWN = -1;

  /** Packets that may wait for the MAC address. */
  private static final int PENDING = 4;

  final HostAddress address;
  long macAddress = UNKNOWN;

  /** When the MAC address must be confirmed. */
  long confirmAt = Long.MAX_VALUE;

  /** When to send the next request, while {@link #asked} is not 0. */
  long askAt = Long.MAX_VALUE;

  /** Requests sent without an answer. */
  int asked;

  /** Whether it has not answered the last requests. */
  boolean unreachable;

  /** Whether the requests go to the known MAC address, and only its answer counts. */
  boolean polled;

  private final long[] pending = new long[PENDING];
  private int pendingCount;
  private int users;

  Neighbour(HostAddress address) {
    this.address = address;
  }

  /** Adds a user of the entry. */
  void acquire() {
    users++;
  }

  /** Removes a user; an entry without users may be removed. */
  void release() {
    users--;
  }

  boolean used() {
    return users > 0;
  }

  boolean idle() {
    return !used() && pendingCount == 0;
  }

  boolean resolved() {
    return macAddress != UNKNOWN;
  }

  int pending() {
    return pendingCount;
  }

  /**
   * Keeps a packet until the MAC address is known.
   *
   * @return the packet that had to be dropped for it, or 0
   */
  long hold(long packet) {
    long oldest = 0;
    if (pendingCount == PENDING) {
      oldest = next();
    }
    pending[pendingCount++] = packet;
    return oldest;
  }

  /** Removes and returns the packet that has waited longest. */
  long next() {
    long packet = pending[0];
    pendingCount--;
    System.arraycopy(pending, 1, pending, 0, pendingCount);
    return packet;
  }

  /** Transfers what is known of the host; packets that wait for its MAC address are not. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(Neighbour.class);
    macAddress = snapshot.number("macAddress", macAddress);
    confirmAt = snapshot.number("confirmAt", confirmAt);
    askAt = snapshot.number("askAt", askAt);
    asked = snapshot.number("asked", asked);
    unreachable = snapshot.flag("unreachable", unreachable);
    polled = snapshot.flag("polled", polled);
    snapshot.end();
  }
}
