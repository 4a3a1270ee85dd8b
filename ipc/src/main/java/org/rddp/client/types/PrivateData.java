package org.rddp.client.types;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * Private data of a connection: 0 to 512 octets in the MPA Request or Reply (RFC 5044 section 7.1).
 * Immutable.
 */
public final class PrivateData {
  /** Largest length in octets. */
  public static final int MAX_OCTETS = 512;

  /** No private data. */
  public static final PrivateData NONE = new PrivateData(new byte[0]);

  private final byte[] octets;

  private PrivateData(byte[] octets) {
    this.octets = octets;
  }

  /**
   * Copies an array.
   *
   * @throws IllegalArgumentException if the array is longer than {@link #MAX_OCTETS}
   */
  public static PrivateData of(byte[] octets) {
    if (octets.length > MAX_OCTETS) {
      throw new IllegalArgumentException(
          "private data of " + octets.length + " octets, at most " + MAX_OCTETS);
    }
    return octets.length == 0 ? NONE : new PrivateData(octets.clone());
  }

  /** Length in octets. */
  public int length() {
    return octets.length;
  }

  /** A copy of the octets. */
  public byte[] toByteArray() {
    return octets.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PrivateData data && Arrays.equals(octets, data.octets);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(octets);
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(octets);
  }
}
