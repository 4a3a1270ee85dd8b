package org.rddp.wire;

/** The header and trailer of the Encapsulating Security Payload (RFC 4303 section 2). */
public final class Esp {
  private static final int SPI = 0;
  private static final int SEQUENCE = 4;

  /** Octets of SPI and sequence number. The initialization vector follows. */
  public static final int HEADER = 8;

  /** Octets of pad length and next header, which end what is encrypted. */
  public static final int TRAILER = 2;

  /** Protocol number of ESP. */
  public static final int PROTOCOL = 50;

  /** Next header in tunnel mode: a packet of IPv4. */
  public static final int NEXT_IPV4 = 4;

  /** Next header in tunnel mode: a packet of IPv6. */
  public static final int NEXT_IPV6 = 41;

  /** Next header of a dummy packet, which is dropped (section 2.6). */
  public static final int NEXT_NOTHING = 59;

  private static final int MOST_PADDING = 255;

  private Esp() {}

  /** The Security Parameters Index, which names the association. */
  public static int spi(long header) {
    return Memory.getInt(header + SPI);
  }

  /** The low 32 bits of the sequence number. */
  public static int sequence(long header) {
    return Memory.getInt(header + SEQUENCE);
  }

  /** Writes SPI and the low 32 bits of the sequence number. */
  public static void write(long header, int spi, int sequence) {
    Memory.putInt(header + SPI, spi);
    Memory.putInt(header + SEQUENCE, sequence);
  }

  /**
   * Writes padding 1, 2, 3 and so on, pad length and next header (section 2.4).
   *
   * @param address behind the payload
   * @param padding octets of it, 0 to 255
   */
  public static void writeTrailer(long address, int padding, int next) {
    for (int i = 1; i <= padding; i++) {
      Memory.putByte(address + i - 1, i);
    }
    Memory.putByte(address + padding, padding);
    Memory.putByte(address + padding + 1, next);
  }

  /** The next header: the protocol of the payload. */
  public static int next(long payload, int octets) {
    return Memory.getByte(payload + octets - 1);
  }

  /**
   * Octets of payload without padding and trailer.
   *
   * @param octets of payload, padding and trailer, decrypted
   * @return -1 if the padding is not that of {@link #writeTrailer}
   */
  public static int payloadLength(long payload, int octets) {
    if (octets < TRAILER) {
      return -1;
    }
    int padding = Memory.getByte(payload + octets - TRAILER) & MOST_PADDING;
    int length = octets - TRAILER - padding;
    if (length < 0) {
      return -1;
    }
    int wrong = 0;
    for (int i = 1; i <= padding; i++) {
      wrong |= Memory.getByte(payload + length + i - 1) ^ i;
    }
    return wrong == 0 ? length : -1;
  }
}
