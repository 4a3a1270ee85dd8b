package org.rddp.mpa;

import java.nio.charset.StandardCharsets;
import org.rddp.mpa.StartupFrame.Kind;

/**
 * The Start Key of draft-culley-iwarp-mpa-03 section 8.1.1, which both ends send: fifteen octets of
 * Key, then one with M, C, reserved bits and Rev, which is 0. It has no Private Data and no way to
 * reject.
 */
final class StartKey extends StartupFrameReader {
  /** Octets of a Start Key. */
  static final int OCTETS = 16; // D03-8.1.1-01, D03-8.1.1-08

  /** Offset of M, C and Rev. */
  private static final int FLAGS = 15;

  private static final int M = 0x80;
  private static final int C = 0x40;
  private static final int REVISION_MASK = 0x0f;

  /** Creates a reader for the peer's Start Key. */
  StartKey() {
    super(Kind.START_KEY, OCTETS);
  }

  /** Encodes the Start Key with the options of this end. */
  static byte[] encode(boolean markers, boolean crc) {
    byte[] octets = new byte[OCTETS];
    byte[] key = Kind.START_KEY.text().getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(key, 0, octets, 0, key.length);
    // D03-8.1.1-04, D03-8.1.1-05; D03-8.1.1-06: "senders MUST set this field to zero"
    octets[FLAGS] = (byte) ((markers ? M : 0) | (crc ? C : 0));
    return octets;
  }

  @Override
  StartupFrame frame() {
    boolean markers = (octets[FLAGS] & M) != 0; // D03-8.1.1-04, D03-8.1.1-05
    boolean crc = (octets[FLAGS] & C) != 0;
    return StartupFrame.of(Kind.START_KEY, markers, crc, false, false, 0, new byte[0]);
  }

  @Override
  int fieldEnd() {
    return OCTETS;
  }

  @Override
  String checkField() {
    int revision = octets[FLAGS] & REVISION_MASK;
    // D03-8.1.1-07: "MUST check this field for zero, and close the connection if any other value is
    // detected"
    return revision == 0 ? null : "Rev is " + revision + ", not 0";
  }

  @Override
  String missingField() {
    return "M, C and Rev are missing";
  }
}
