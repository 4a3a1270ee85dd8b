package org.rddp.ipc.control;

import java.util.Arrays;

/**
 * Keys in a control message. They are in no text, and their holder overwrites them after use. What
 * the JVM has copied elsewhere meanwhile, such as when it moved them, cannot be overwritten.
 */
public final class SecretOctets {
  /** Largest length in octets. */
  public static final int MOST = 256;

  private final byte[] octets;

  /**
   * Wraps an array, without a copy.
   *
   * @throws IllegalArgumentException if it is longer than {@link #MOST}
   */
  public SecretOctets(byte[] octets) {
    if (octets.length > MOST) {
      throw new IllegalArgumentException(octets.length + " octets of keys, at most " + MOST);
    }
    this.octets = octets;
  }

  /** The array itself. */
  public byte[] octets() {
    return octets;
  }

  /** Overwrites the keys. */
  public void wipe() {
    Arrays.fill(octets, (byte) 0);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SecretOctets secret && Arrays.equals(octets, secret.octets);
  }

  @Override
  public int hashCode() {
    return octets.length;
  }

  /** Their number only. */
  @Override
  public String toString() {
    return octets.length + " secret octets";
  }
}
