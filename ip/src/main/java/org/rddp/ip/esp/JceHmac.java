package org.rddp.ip.esp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.rddp.wire.Esp;
import org.rddp.wire.Memory;

/**
 * An HMAC of the JDK, over what AES-CBC of the JDK has encrypted (RFC 3602) or over the plain
 * packet.
 */
final class JceHmac implements EspCipher {
  private static final int BLOCK = 16;

  private final EspSuite suite;
  private final boolean esn;
  private final EspIntegrity integrity;

  /** Null without encryption. */
  private final SecretKeySpec key;

  private final Cipher cbc;

  /**
   * Makes initialization vectors that nobody can foretell: numbers used once, encrypted with the
   * same key (NIST SP 800-38A appendix C).
   */
  private final Cipher vectors;

  private final ByteBuffer number = ByteBuffer.allocate(BLOCK);
  private final byte[] vector = new byte[BLOCK];
  private final Octets input = new Octets();
  private final Octets output = new Octets();

  JceHmac(EspSuite suite, boolean esn, byte[] keys) {
    this.suite = suite;
    this.esn = esn;
    byte[] integrityKey = Arrays.copyOfRange(keys, suite.encryptionKey, keys.length);
    integrity = new EspIntegrity(integrityKey, suite.icv);
    Arrays.fill(integrityKey, (byte) 0);
    if (suite.encryptionKey == 0) {
      key = null;
      cbc = null;
      vectors = null;
      return;
    }
    key = new SecretKeySpec(keys, 0, suite.encryptionKey, "AES");
    cbc = JceCiphers.cipher("AES/CBC/NoPadding");
    vectors = JceCiphers.cipher("AES/ECB/NoPadding");
    try {
      vectors.init(Cipher.ENCRYPT_MODE, key);
    } catch (GeneralSecurityException e) {
      throw failure(e);
    }
  }

  @Override
  public void seal(long payload, int length, int next, int spi, long sequence, long sealed) {
    Esp.write(sealed, spi, (int) sequence);
    int padding = suite.padding(length);
    int plain = length + padding + Esp.TRAILER;
    long body = sealed + suite.header();
    Memory.copy(payload, body, length);
    Esp.writeTrailer(body + length, padding, next);
    if (key != null) {
      writeVector(sealed + Esp.HEADER, spi, sequence);
      crypt(Cipher.ENCRYPT_MODE, body, plain);
    }
    integrity.write(sealed, suite.header() + plain, esn, sequence);
  }

  private void writeVector(long address, int spi, long sequence) {
    number.putInt(0, spi).putLong(BLOCK - Long.BYTES, sequence);
    try {
      vectors.doFinal(number.array(), 0, BLOCK, vector, 0);
    } catch (GeneralSecurityException e) {
      throw failure(e);
    }
    Memory.copy(vector, 0, address, BLOCK);
  }

  @Override
  public int open(long sealed, int length, long sequence) {
    if (!suite.fits(length)) {
      return -1;
    }
    int octets = length - suite.header() - suite.icv;
    if (!integrity.verifies(sealed, length - suite.icv, esn, sequence)) {
      return -1;
    }
    if (key != null) {
      Memory.copy(sealed + Esp.HEADER, vector, 0, BLOCK);
      crypt(Cipher.DECRYPT_MODE, sealed + suite.header(), octets);
    }
    return octets;
  }

  /** Encrypts or decrypts whole blocks in place, from the initialization vector on. */
  private void crypt(int mode, long body, int octets) {
    byte[] from = input.read(body, octets);
    byte[] to = output.room(octets);
    try {
      cbc.init(mode, key, new IvParameterSpec(vector));
      cbc.doFinal(from, 0, octets, to, 0);
    } catch (GeneralSecurityException e) {
      throw failure(e);
    }
    Memory.copy(to, 0, body, octets);
  }

  private static IllegalStateException failure(GeneralSecurityException cause) {
    return new IllegalStateException("AES-CBC of the JDK", cause);
  }

  /** The JDK's key objects cannot be cleared; they go with this one. */
  @Override
  public void close() {
    integrity.clear();
    input.clear();
    output.clear();
  }
}
