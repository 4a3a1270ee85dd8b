package org.rddp.fuzz;

/** The octets of one input, read from the front; zeros follow the last one. */
final class FuzzInput {
  private final byte[] octets;
  private int at;

  FuzzInput(byte[] octets) {
    this.octets = octets;
  }

  /** Whether all octets were read. */
  boolean exhausted() {
    return at >= octets.length;
  }

  /** The next octet, 0 to 255. */
  int octet() {
    return at < octets.length ? octets[at++] & 0xff : 0;
  }

  /** The next octet, -128 to 127. */
  int signedOctet() {
    return (byte) octet();
  }

  /** The next two octets, -32768 to 32767. */
  int signedShort() {
    return (short) (octet() << 8 | octet());
  }

  /** The next two octets, 0 to 65535. */
  int unsignedShort() {
    return octet() << 8 | octet();
  }
}
