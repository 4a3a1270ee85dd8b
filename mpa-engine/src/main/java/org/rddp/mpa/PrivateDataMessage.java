package org.rddp.mpa;

import java.util.Arrays;
import org.rddp.mpa.StartupFrame.Kind;

/**
 * The message that carries Private Data before a {@link StartKey}, in streaming mode
 * (draft-culley-iwarp-mpa-03 section 13.3.2): a 16-bit length, then that number of octets. The
 * draft sets no limit; ours is that of a Request's Private Data.
 */
final class PrivateDataMessage extends StartupFrameReader {
  private static final int LENGTH_OCTETS = 2;

  /** Creates a reader for the peer's message. */
  PrivateDataMessage() {
    super(Kind.PRIVATE_DATA, LENGTH_OCTETS + StartupFrame.MAX_PRIVATE_DATA);
  }

  /** Encodes a message. */
  static byte[] encode(byte[] privateData) {
    byte[] message = new byte[LENGTH_OCTETS + privateData.length];
    message[0] = (byte) (privateData.length >> 8); // D03-13.3-01
    message[1] = (byte) privateData.length;
    System.arraycopy(privateData, 0, message, LENGTH_OCTETS, privateData.length);
    return message;
  }

  /** The octets, once complete. */
  byte[] privateData() {
    return Arrays.copyOfRange(octets, LENGTH_OCTETS, LENGTH_OCTETS + length());
  }

  private int length() {
    return (octets[0] & 0xff) << 8 | (octets[1] & 0xff);
  }

  @Override
  StartupFrame frame() {
    return StartupFrame.of(Kind.PRIVATE_DATA, false, false, false, false, 0, privateData());
  }

  @Override
  int fieldEnd() {
    return count() < LENGTH_OCTETS ? LENGTH_OCTETS : LENGTH_OCTETS + length();
  }

  @Override
  String checkField() {
    boolean tooMany = count() == LENGTH_OCTETS && length() > StartupFrame.MAX_PRIVATE_DATA;
    return tooMany
        ? "Private Data Length is " + length() + ", more than " + StartupFrame.MAX_PRIVATE_DATA
        : null;
  }

  @Override
  String missingField() {
    return count() < LENGTH_OCTETS
        ? missing("Private Data Length", count(), LENGTH_OCTETS)
        : missing("Private Data", count() - LENGTH_OCTETS, length());
  }
}
