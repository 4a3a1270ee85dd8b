package org.rddp.ip.esp;

import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.Mac;

/** Ciphers of the JDK, for every {@link EspSuite}. They allocate some octets for each packet. */
public final class JceCiphers implements EspCipher.Factory {
  /** Creates the factory. */
  public JceCiphers() {}

  @Override
  public EspCipher cipher(EspSuite suite, boolean esn, byte[] keys) {
    if (keys.length != suite.keyOctets()) {
      throw new IllegalArgumentException(
          "%d octets of keys; %s has %d".formatted(keys.length, suite, suite.keyOctets()));
    }
    return suite.isGcm() ? new JceGcm(suite, esn, keys) : new JceHmac(suite, esn, keys);
  }

  /** What they are computed by. */
  @Override
  public String toString() {
    return "the JDK";
  }

  static Cipher cipher(String transformation) {
    try {
      return Cipher.getInstance(transformation);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + transformation, e);
    }
  }

  static Mac mac(String algorithm) {
    try {
      return Mac.getInstance(algorithm);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + algorithm, e);
    }
  }
}
