package org.rddp.ipc.control;

import java.util.Arrays;

/** A datagram of UDP for or from a daemon of IKE, in a control message. */
public final class KeyDatagram {
  /** Largest length in octets, the UDP header included. */
  public static final int MOST = 3840;

  private final byte[] octets;

  /**
   * Wraps an array, without a copy.
   *
   * @param octets from the UDP header on
   * @throws IllegalArgumentException if it is longer than {@link #MOST}
   */
  public KeyDatagram(byte[] octets) {
    if (octets.length > MOST) {
      throw new IllegalArgumentException(
          "a datagram of %d octets; %d at most are passed on".formatted(octets.length, MOST));
    }
    this.octets = octets;
  }

  /** The array itself. */
  public byte[] octets() {
    return octets;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyDatagram datagram && Arrays.equals(octets, datagram.octets);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(octets);
  }

  @Override
  public String toString() {
    return "a datagram of " + octets.length + " octets";
  }
}
