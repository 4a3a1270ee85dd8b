package org.rddp.dpdk.device;

import org.rddp.dpdk.EspKey;
import org.rddp.ip.esp.EspCipher;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;

/**
 * Ciphers of ESP: AES-GCM by libipsec-mb where that is possible, which allocates nothing for a
 * packet, and those of the JDK for everything else.
 */
public final class NativeCiphers implements EspCipher.Factory {
  private final JceCiphers others = new JceCiphers();

  /** Creates the factory. */
  public NativeCiphers() {}

  @Override
  public EspCipher cipher(EspSuite suite, boolean esn, byte[] keys) {
    return suite.isGcm() && keys.length == suite.keyOctets()
        ? EspKey.of(keys, esn)
            .<EspCipher>map(NativeGcm::new)
            .orElseGet(() -> others.cipher(suite, esn, keys))
        : others.cipher(suite, esn, keys);
  }

  /** What AES-GCM is computed by. */
  @Override
  public String toString() {
    return EspKey.isSupported() ? "libipsec-mb" : others.toString();
  }

  /** AES-GCM by libipsec-mb. */
  private record NativeGcm(EspKey key) implements EspCipher {
    @Override
    public void seal(long payload, int length, int next, int spi, long sequence, long sealed) {
      key.seal(payload, length, next, spi, sequence, sealed);
    }

    @Override
    public int open(long sealed, int length, long sequence) {
      return key.open(sealed, length, sequence);
    }

    @Override
    public void close() {
      key.close();
    }
  }
}
