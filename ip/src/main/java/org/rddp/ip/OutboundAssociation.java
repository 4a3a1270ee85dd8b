package org.rddp.ip;

import org.rddp.ip.esp.EspCipher;

/**
 * One stack's part of an association that we send on: a cipher and the path of the tunnel. The
 * sequence numbers are those of all stacks; when they are used up, nothing is sent (RFC 4303
 * section 3.3.3).
 */
public final class OutboundAssociation extends Association {
  /** Numbers before the last one from which on another association should take over. */
  private static final long RESERVE = 1L << 20;

  /** An ICMP error is believed if it quotes one of so many last packets. */
  private static final int RECENT = 1 << 16;

  final SentNumbers numbers;

  /** Greater than that of any association added before. */
  final int order;

  /** The path to the other end of the tunnel, open; null in transport mode, or without a route. */
  Path tunnel;

  OutboundAssociation(
      AssociationSettings settings,
      AssociationKeys keys,
      EspCipher cipher,
      long fingerprint,
      SentNumbers numbers,
      int order,
      long since) {
    super(settings, keys, cipher, fingerprint, since);
    this.numbers = numbers;
    this.order = order;
  }

  @Override
  public boolean outbound() {
    return true;
  }

  @Override
  public long sequence() {
    return numbers.sequence();
  }

  @Override
  public long octets() {
    return numbers.octets();
  }

  @Override
  public long packets() {
    return numbers.packets();
  }

  @Override
  public boolean isSoftOver(long now) {
    return super.isSoftOver(now) || Long.compareUnsigned(numbers.left(), RESERVE) < 0;
  }

  @Override
  public boolean isOver(long now) {
    return numbers.left() == 0 || super.isOver(now);
  }

  /**
   * Seals a payload with the next number.
   *
   * @param sealed address of the ESP header to write
   * @return false if no number is left; nothing is written then
   */
  boolean seal(long payload, int length, int next, long sealed) {
    long sequence = numbers.next();
    if (sequence == SentNumbers.NONE) {
      return false;
    }
    cipher.seal(payload, length, next, settings().spi(), sequence, sealed); // DDP-8.4-02
    numbers.count(length);
    return true;
  }

  /** Whether one of the last packets had a number, by its low 32 bits. */
  boolean hasSentLately(int low) {
    long sequence = numbers.sequence();
    int back = (int) sequence - low;
    return back >= 0 && back < RECENT && Long.compareUnsigned(back, sequence) < 0;
  }

  /** Forgets the keys, and closes the tunnel's path. */
  void close() {
    cipher.close();
    if (tunnel != null) {
      tunnel.close();
      tunnel = null;
    }
  }
}
