package org.rddp.ip;

/**
 * One host of the link: its IP address, and its MAC address once known. Found through {@link
 * IpLayer#route}; whoever keeps it says so with {@link #acquire} and {@link #release}.
 */
public final class Neighbour {
  static final long UNKNOWN = -1;

  /** Packets that may wait for the MAC address. */
  private static final int PENDING = 4;

  final int address;
  long macAddress = UNKNOWN;

  /** From when on the MAC address is to be confirmed. */
  long confirmAt = Long.MAX_VALUE;

  /** When to ask (again), while {@link #asked} is not 0. */
  long askAt = Long.MAX_VALUE;

  /** Requests sent without an answer. */
  int asked;

  private final long[] pending = new long[PENDING];
  private int pendingCount;
  private int users;

  Neighbour(int address) {
    this.address = address;
  }

  /** Keeps the entry. */
  public void acquire() {
    users++;
  }

  /** The entry may be forgotten, as far as this user goes. */
  public void release() {
    users--;
  }

  boolean idle() {
    return users == 0 && pendingCount == 0;
  }

  boolean resolved() {
    return macAddress != UNKNOWN;
  }

  int pending() {
    return pendingCount;
  }

  /**
   * Lets a packet wait.
   *
   * @return the packet that had to go for it, or 0
   */
  long hold(long packet) {
    long oldest = 0;
    if (pendingCount == PENDING) {
      oldest = next();
    }
    pending[pendingCount++] = packet;
    return oldest;
  }

  /** Takes out the packet that has waited longest. */
  long next() {
    long packet = pending[0];
    pendingCount--;
    System.arraycopy(pending, 1, pending, 0, pendingCount);
    return packet;
  }
}
