package org.rddp.ip.esp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.rddp.wire.Esp;
import org.rddp.wire.Memory;

/**
 * AES-GCM of the JDK (RFC 4106). The initialization vector is the sequence number, which no other
 * packet with these keys has.
 */
final class JceGcm implements EspCipher {
  private static final int NONCE = 12;

  private final EspSuite suite;
  private final boolean esn;
  private final Cipher cipher = JceCiphers.cipher("AES/GCM/NoPadding");
  private final SecretKeySpec key;

  /** Salt and initialization vector. */
  private final ByteBuffer nonce = ByteBuffer.allocate(NONCE);

  /** SPI and sequence number, of 64 bits with ESN (RFC 4106 section 5). */
  private final ByteBuffer authenticated;

  private final Octets input = new Octets();
  private final Octets output = new Octets();

  JceGcm(EspSuite suite, boolean esn, byte[] keys) {
    this.suite = suite;
    this.esn = esn;
    key = new SecretKeySpec(keys, 0, suite.encryptionKey, "AES");
    nonce.put(0, keys, suite.encryptionKey, suite.salt);
    authenticated = ByteBuffer.allocate(esn ? NONCE : Esp.HEADER);
  }

  @Override
  public void seal(long payload, int length, int next, int spi, long sequence, long sealed) {
    Esp.write(sealed, spi, (int) sequence);
    Memory.putLong(sealed + Esp.HEADER, sequence);
    int padding = suite.padding(length);
    int plain = length + padding + Esp.TRAILER;
    long body = sealed + suite.header();
    Memory.copy(payload, body, length);
    Esp.writeTrailer(body + length, padding, next);
    byte[] from = input.read(body, plain);
    byte[] to = output.room(plain + suite.icv);
    try {
      start(Cipher.ENCRYPT_MODE, sealed, sequence);
      int octets = cipher.doFinal(from, 0, plain, to, 0);
      Memory.copy(to, 0, body, octets);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM of the JDK", e);
    }
  }

  @Override
  public int open(long sealed, int length, long sequence) {
    if (!suite.fits(length)) {
      return -1;
    }
    int octets = length - suite.header();
    long body = sealed + suite.header();
    byte[] from = input.read(body, octets);
    byte[] to = output.room(octets);
    try {
      start(Cipher.DECRYPT_MODE, sealed, sequence);
      int plain = cipher.doFinal(from, 0, octets, to, 0);
      Memory.copy(to, 0, body, plain);
      return plain;
    } catch (AEADBadTagException e) {
      return -1;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM of the JDK", e);
    }
  }

  private void start(int mode, long sealed, long sequence) throws GeneralSecurityException {
    nonce.putLong(suite.salt, Memory.getLong(sealed + Esp.HEADER));
    cipher.init(mode, key, new GCMParameterSpec(suite.icv * Byte.SIZE, nonce.array()));
    authenticated.putInt(0, Esp.spi(sealed));
    if (esn) {
      authenticated.putLong(Integer.BYTES, sequence);
    } else {
      authenticated.putInt(Integer.BYTES, (int) sequence);
    }
    cipher.updateAAD(authenticated.array());
  }

  /** The JDK's key object cannot be cleared; it goes with this one. */
  @Override
  public void close() {
    input.clear();
    output.clear();
  }
}
