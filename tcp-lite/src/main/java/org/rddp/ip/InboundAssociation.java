package org.rddp.ip;

import org.rddp.ip.esp.EspCipher;
import org.rddp.ip.esp.ReplayWindow;
import org.rddp.wire.Esp;

/** An association that we receive on. */
public final class InboundAssociation extends Association {
  /** The packet has come before, or is too old to tell. */
  static final int REPLAYED = -1;

  /** The packet is not authentic. */
  static final int FORGED = -2;

  private final ReplayWindow window;
  final long destinationHigh;
  final long destinationLow;

  /**
   * Creates an association.
   *
   * @param received the largest number that was received with these keys; 0 for none
   */
  InboundAssociation(
      AssociationSettings settings, EspCipher cipher, long fingerprint, long received, long now) {
    super(settings, cipher, fingerprint, now);
    window = new ReplayWindow(settings.window(), settings.esn(), received);
    destinationHigh = AddressPrefix.high(settings.destination());
    destinationLow = AddressPrefix.low(settings.destination());
  }

  @Override
  public boolean outbound() {
    return false;
  }

  @Override
  public long sequence() {
    return window.top();
  }

  /**
   * Verifies and opens a packet in place (RFC 4303 section 3.4.3 and 3.4.4). The window moves only
   * for an authentic one.
   *
   * @return octets of payload, padding and trailer; or {@link #REPLAYED} or {@link #FORGED}
   */
  int open(long sealed, int length) {
    long number = window.number(Esp.sequence(sealed));
    if (!window.isNew(number)) {
      return REPLAYED;
    }
    int octets = cipher.open(sealed, length, number);
    if (octets < 0) {
      return FORGED;
    }
    window.add(number);
    count(octets);
    return octets;
  }
}
