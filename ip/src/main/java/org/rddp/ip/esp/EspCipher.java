package org.rddp.ip.esp;

/**
 * Encrypts and authenticates the packets of one association with its keys. One thread at a time
 * uses it.
 */
public interface EspCipher extends AutoCloseable {
  /** Makes the cipher of an association. */
  @FunctionalInterface
  interface Factory {
    /**
     * Makes a cipher.
     *
     * @param esn whether the sequence numbers are extended (RFC 4303 section 2.2.1)
     * @param keys of {@link EspSuite#keyOctets} octets; the cipher keeps no reference
     */
    EspCipher cipher(EspSuite suite, boolean esn, byte[] keys);
  }

  /**
   * Writes a sealed packet: ESP header, initialization vector, encrypted payload with padding and
   * trailer, and ICV.
   *
   * @param payload address of what is protected, which is not written
   * @param length its octets
   * @param next next header
   * @param sequence number of the packet, never used before with these keys
   * @param sealed address of the ESP header to write, with room for {@link EspSuite#sealedLength}
   *     octets that do not overlap the payload
   */
  void seal(long payload, int length, int next, int spi, long sequence, long sealed);

  /**
   * Verifies a sealed packet and, if it is authentic, decrypts it in place.
   *
   * @param sealed address of its ESP header
   * @param length octets up to the ICV's end
   * @param sequence number of the packet; only its low 32 bits are in the packet
   * @return octets of payload, padding and trailer at {@code sealed} + {@link EspSuite#header}; -1
   *     if the packet is not authentic, and its octets then may have been overwritten
   */
  int open(long sealed, int length, long sequence);

  /** Forgets the keys, as far as their memory is the cipher's own. */
  @Override
  void close();
}
