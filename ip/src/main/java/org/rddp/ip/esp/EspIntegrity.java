package org.rddp.ip.esp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.rddp.wire.Memory;

/** The truncated HMAC of an ESP packet (RFC 2404, RFC 4868). */
final class EspIntegrity {
  private final Mac mac;
  private final int icv;

  /** The high 32 bits of the sequence number. */
  private final ByteBuffer high = ByteBuffer.allocate(Integer.BYTES);

  private final Octets input = new Octets();
  private final byte[] received;

  /**
   * Creates an HMAC.
   *
   * @param key one as long as the hash's result, which chooses the hash
   * @param icv octets kept of the result
   */
  EspIntegrity(byte[] key, int icv) {
    this.icv = icv;
    received = new byte[icv];
    String algorithm = key.length == 20 ? "HmacSHA1" : "HmacSHA256";
    mac = JceCiphers.mac(algorithm);
    try {
      mac.init(new SecretKeySpec(key, algorithm));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(algorithm + " of the JDK", e);
    }
  }

  /** Writes the ICV behind so many octets of a packet. */
  void write(long packet, int octets, boolean esn, long sequence) {
    Memory.copy(compute(packet, octets, esn, sequence), 0, packet + octets, icv);
  }

  /** Whether the ICV behind so many octets of a packet is right; takes equally long if not. */
  boolean verifies(long packet, int octets, boolean esn, long sequence) {
    Memory.copy(packet + octets, received, 0, icv);
    byte[] right = Arrays.copyOf(compute(packet, octets, esn, sequence), icv);
    return MessageDigest.isEqual(right, received);
  }

  /** With ESN, the high 32 bits of the number follow the packet (RFC 4303 section 2.2.1). */
  private byte[] compute(long packet, int octets, boolean esn, long sequence) {
    mac.update(input.read(packet, octets), 0, octets);
    if (esn) {
      mac.update(high.putInt(0, (int) (sequence >>> Integer.SIZE)).array());
    }
    return mac.doFinal();
  }

  void clear() {
    input.clear();
  }
}
