package org.rddp.ip.esp;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.rddp.wire.Esp;

/** The encryption and integrity of an association, with the sizes of their fields. */
public enum EspSuite {
  /** AES-GCM with a 16-octet ICV and 128-bit keys (RFC 4106). */
  AES128_GCM16("aes128gcm16", 16, 4, 0, 4, 8, 16),
  /** AES-GCM with a 16-octet ICV and 256-bit keys (RFC 4106). */
  AES256_GCM16("aes256gcm16", 32, 4, 0, 4, 8, 16),
  /** AES-CBC with 128-bit keys (RFC 3602) and HMAC with SHA-1 (RFC 2404). */
  AES128_SHA1("aes128-sha1", 16, 0, 20, 16, 16, 12),
  /** AES-CBC with 256-bit keys (RFC 3602) and HMAC with SHA-1 (RFC 2404). */
  AES256_SHA1("aes256-sha1", 32, 0, 20, 16, 16, 12),
  /** AES-CBC with 128-bit keys (RFC 3602) and HMAC with SHA-256 (RFC 4868). */
  AES128_SHA256("aes128-sha256", 16, 0, 32, 16, 16, 16),
  /** AES-CBC with 256-bit keys (RFC 3602) and HMAC with SHA-256 (RFC 4868). */
  AES256_SHA256("aes256-sha256", 32, 0, 32, 16, 16, 16),
  /** No encryption (RFC 2410), and HMAC with SHA-1 (RFC 2404). */
  NULL_SHA1("null-sha1", 0, 0, 20, 4, 0, 12),
  /** No encryption (RFC 2410), and HMAC with SHA-256 (RFC 4868). */
  NULL_SHA256("null-sha256", 0, 0, 32, 4, 0, 16);

  /** Octets of the encryption key. */
  final int encryptionKey;

  /** Octets of salt behind it, the first ones of GCM's nonce (RFC 4106 section 4). */
  final int salt;

  /** Octets of the integrity key. */
  final int integrityKey;

  /** What the octets of payload, padding and trailer are a multiple of. */
  final int block;

  /** Octets of the initialization vector in each packet. */
  final int vector;

  /** Octets of the integrity check value. */
  final int icv;

  private final String text;

  EspSuite(
      String text, int encryptionKey, int salt, int integrityKey, int block, int vector, int icv) {
    this.text = text;
    this.encryptionKey = encryptionKey;
    this.salt = salt;
    this.integrityKey = integrityKey;
    this.block = block;
    this.vector = vector;
    this.icv = icv;
  }

  /** The suite with a name, as strongSwan has them, such as {@code aes128gcm16}. */
  public static Optional<EspSuite> of(String name) {
    return Arrays.stream(values()).filter(each -> each.text.equals(name)).findFirst();
  }

  /** The names of all suites, with commas between them. */
  public static String names() {
    return Arrays.stream(values()).map(EspSuite::toString).collect(Collectors.joining(", "));
  }

  /** Octets of all keys: of encryption, GCM's salt, of integrity, in this order (RFC 7296 2.17). */
  public int keyOctets() {
    return encryptionKey + salt + integrityKey;
  }

  /** Whether both come from AES-GCM. */
  public boolean isGcm() {
    return salt > 0;
  }

  /** Octets from the ESP header's first one to the payload. */
  public int header() {
    return Esp.HEADER + vector;
  }

  /** Octets of padding behind a payload of so many octets. */
  int padding(int length) {
    return -(length + Esp.TRAILER) & block - 1;
  }

  /** Octets from the ESP header to the ICV's end for a payload of so many octets. */
  public int sealedLength(int length) {
    return header() + length + padding(length) + Esp.TRAILER + icv;
  }

  /** The largest payload for which {@link #sealedLength} is at most so many octets. */
  public int largestPayload(int octets) {
    return (octets - header() - icv & -block) - Esp.TRAILER;
  }

  /** Whether a received packet can have so many octets from the ESP header to the ICV's end. */
  boolean fits(int length) {
    int encrypted = length - header() - icv;
    return encrypted >= block && (encrypted & block - 1) == 0;
  }

  @Override
  public String toString() {
    return text;
  }
}
