package org.rddp.mpa;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * Makes the octets that a peer would send, straight from the text of RFC 5044 and apart from the
 * code under test.
 */
final class PeerOctets {
  private PeerOctets() {}

  /** The octets written in hexadecimal, blanks ignored. */
  static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits.replace(" ", ""));
  }

  /** Octets in hexadecimal. */
  static String hex(byte[] octets) {
    return HexFormat.of().formatHex(octets);
  }

  /** A startup frame with any flags, Rev and PD_Length. */
  static byte[] startup(String key, int flags, int revision, int pdLength, byte[] privateData) {
    return join(
        key.getBytes(StandardCharsets.US_ASCII),
        new byte[] {(byte) flags, (byte) revision, (byte) (pdLength >> 8), (byte) pdLength},
        privateData);
  }

  /** A Request of revision 1. */
  static byte[] request(int flags, byte[] privateData) {
    return startup("MPA ID Req Frame", flags, 1, privateData.length, privateData);
  }

  /** A Reply of revision 1. */
  static byte[] reply(int flags, byte[] privateData) {
    return startup("MPA ID Rep Frame", flags, 1, privateData.length, privateData);
  }

  /** The octets one after the other. */
  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  /** An FPDU without Markers. */
  static byte[] fpdu(byte[] ulpdu) {
    return fpdu(ulpdu, -1);
  }

  /**
   * An FPDU, octet by octet.
   *
   * @param offset octets of the stream since SeqStart, or -1 for a stream without Markers
   */
  static byte[] fpdu(byte[] ulpdu, long offset) {
    ByteArrayOutputStream octets = new ByteArrayOutputStream();
    byte[] plain = join(new byte[] {(byte) (ulpdu.length >> 8), (byte) ulpdu.length}, ulpdu);
    int padded = (plain.length + 3) / 4 * 4;
    int header = offset >= 0 && offset % 512 == 0 ? 4 : 0;
    for (int i = 0; i < padded; i++) {
      marker(octets, offset, header);
      octets.write(i < plain.length ? plain[i] : 0);
    }
    marker(octets, offset, header);
    return sealed(octets.toByteArray());
  }

  private static void marker(ByteArrayOutputStream octets, long offset, int header) {
    if (offset >= 0 && (offset + octets.size()) % 512 == 0) {
      int pointer = octets.size() == 0 ? 0 : octets.size() - header;
      octets.writeBytes(new byte[] {0, 0, (byte) (pointer >> 8), (byte) pointer});
    }
  }

  /** The octets followed by their CRC. */
  static byte[] sealed(byte[] octets) {
    CRC32C crc = new CRC32C();
    crc.update(octets);
    int value = Integer.reverseBytes((int) crc.getValue());
    return join(
        octets,
        new byte[] {(byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value});
  }

  /** The FPDU with its CRC made right again after a change. */
  static byte[] resealed(byte[] fpdu) {
    return sealed(Arrays.copyOf(fpdu, fpdu.length - 4));
  }

  /** The FPDU as a sender makes it that computes no CRC: the field is 0. */
  static byte[] withoutCrc(byte[] fpdu) {
    byte[] made = fpdu.clone();
    Arrays.fill(made, made.length - 4, made.length, (byte) 0);
    return made;
  }
}
