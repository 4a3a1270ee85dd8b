package org.rddp.ip;

import org.rddp.ip.esp.EspCipher;

/**
 * An association that we send on. Each packet gets the next sequence number, and none gets one
 * again: when the numbers are used up, nothing is sent (RFC 4303 section 3.3.3).
 */
public final class OutboundAssociation extends Association {
  private static final long LAST_OF_32_BITS = 0xffff_ffffL;
  private static final long LAST_OF_64_BITS = -1L;

  /** Numbers before the last one from which on another association should take over. */
  private static final long RESERVE = 1L << 20;

  /** An ICMP error is believed if it quotes one of so many last packets. */
  private static final int RECENT = 1 << 16;

  private final long last;
  private long sequence;

  /** The path to the other end of the tunnel, open; null in transport mode. */
  Path tunnel;

  /**
   * Creates an association.
   *
   * @param sent number of the last packet that was sent with these keys; 0 for none
   */
  OutboundAssociation(
      AssociationSettings settings, EspCipher cipher, long fingerprint, long sent, long now) {
    super(settings, cipher, fingerprint, now);
    last = settings.esn() ? LAST_OF_64_BITS : LAST_OF_32_BITS;
    sequence = sent;
  }

  @Override
  public boolean outbound() {
    return true;
  }

  @Override
  public long sequence() {
    return sequence;
  }

  @Override
  public boolean isSoftOver(long now) {
    return super.isSoftOver(now) || Long.compareUnsigned(last - sequence, RESERVE) < 0;
  }

  @Override
  public boolean isOver(long now) {
    return sequence == last || super.isOver(now);
  }

  /**
   * Seals a payload with the next number, which must be left: {@link #isOver}.
   *
   * @param sealed address of the ESP header to write
   */
  void seal(long payload, int length, int next, long sealed) {
    sequence++;
    cipher.seal(payload, length, next, settings().spi(), sequence, sealed);
    count(length);
  }

  /** Whether one of the last packets had a number, by its low 32 bits. */
  boolean hasSentLately(int low) {
    int back = (int) sequence - low;
    return back >= 0 && back < RECENT && Long.compareUnsigned(back, sequence) < 0;
  }
}
