package org.rddp.interop.esp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.rddp.ip.esp.EspSuite;

/**
 * How packets between two hosts are protected, both ways.
 *
 * @param suite encryption and integrity
 * @param esn whether sequence numbers have 64 bits
 * @param tunnel whether whole packets are sealed
 */
record Protection(EspSuite suite, boolean esn, boolean tunnel) {
  /** An algorithm: what {@code ip xfrm} says of it and its key, and Wireshark's name. */
  private enum Algorithm {
    AES_GCM("aead 'rfc4106(gcm(aes))' %s 128", "AES-GCM with 16 octet ICV [RFC4106]"),
    AES_CBC("enc 'cbc(aes)' %s", "AES-CBC [RFC3602]"),
    NO_ENCRYPTION("enc 'ecb(cipher_null)' ''", "NULL"),
    SHA1("auth-trunc 'hmac(sha1)' %s 96", "HMAC-SHA-1-96 [RFC2404]"),
    SHA256("auth-trunc 'hmac(sha256)' %s 128", "HMAC-SHA-256-128 [RFC4868]"),
    NO_INTEGRITY("", "NULL");

    private final String linux;
    private final String wireshark;

    Algorithm(String linux, String wireshark) {
      this.linux = linux;
      this.wireshark = wireshark;
    }
  }

  private static final int SHA1_KEY = 20;
  private static final int SHA256_KEY = 32;

  private Algorithm encryption() {
    if (suite.isGcm()) {
      return Algorithm.AES_GCM;
    }
    return suite.toString().startsWith("null") ? Algorithm.NO_ENCRYPTION : Algorithm.AES_CBC;
  }

  private Algorithm integrity() {
    if (suite.isGcm()) {
      return Algorithm.NO_INTEGRITY;
    }
    return suite.toString().endsWith("sha1") ? Algorithm.SHA1 : Algorithm.SHA256;
  }

  private String encryptionKey(byte[] keys) {
    return hex(Arrays.copyOf(keys, keys.length - integrityOctets()));
  }

  private String integrityKey(byte[] keys) {
    return hex(Arrays.copyOfRange(keys, keys.length - integrityOctets(), keys.length));
  }

  private int integrityOctets() {
    return switch (integrity()) {
      case SHA1 -> SHA1_KEY;
      case SHA256 -> SHA256_KEY;
      default -> 0;
    };
  }

  private static String hex(byte[] octets) {
    return octets.length == 0 ? "" : "0x" + HexFormat.of().formatHex(octets);
  }

  /** Transport or tunnel. */
  String mode() {
    return tunnel ? "tunnel" : "transport";
  }

  /** What {@code rddp ipsec add} says of an association. */
  List<String> rddpWords() {
    List<String> words =
        new ArrayList<>(List.of("--algorithms", suite.toString(), "--mode", mode()));
    if (!esn) {
      words.add("--no-esn");
    }
    return words;
  }

  /** What {@code ip xfrm state add} says of an association with these keys. */
  String linuxWords(byte[] keys) {
    return "mode %s replay-window 1024 %s %s %s"
        .formatted(
            mode(),
            esn ? "flag esn" : "",
            encryption().linux.formatted(encryptionKey(keys)),
            integrity().linux.formatted(integrityKey(keys)));
  }

  /** The last four columns of Wireshark's table of associations: algorithms and keys. */
  String wiresharkWords(byte[] keys) {
    return "\"%s\",\"%s\",\"%s\",\"%s\""
        .formatted(
            encryption().wireshark, encryptionKey(keys), integrity().wireshark, integrityKey(keys));
  }

  /** Suite, numbers and mode, for the table. */
  @Override
  public String toString() {
    return suite + (esn ? " esn " : " ") + mode();
  }
}
