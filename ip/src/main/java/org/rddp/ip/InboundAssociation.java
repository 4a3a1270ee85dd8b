package org.rddp.ip;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.rddp.ip.esp.EspCipher;
import org.rddp.ip.esp.ReplayWindow;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Esp;

/**
 * An association that we receive on. The stack that first receives an authentic packet of it opens
 * all of them: a device's queue is chosen by the outer addresses, or by the SPI, so the others come
 * there, too. Another stack that gets one hands it over. Until then a stack owns it only while it
 * opens a packet, so that a forged one decides nothing.
 *
 * <p>There may be one for each core (RFC 9611).
 */
public final class InboundAssociation extends Association {
  /** The packet has come before, or is too old to tell. */
  static final int REPLAYED = -1;

  /** The packet is not authentic. */
  static final int FORGED = -2;

  /** No stack opens its packets yet. */
  static final int NOBODY = -1;

  private static final VarHandle OWNER;

  static {
    try {
      OWNER = MethodHandles.lookup().findVarHandle(InboundAssociation.class, "owner", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ReplayWindow window;
  private volatile int owner = NOBODY;
  final long destinationHigh;
  final long destinationLow;
  private long octets;
  private long packets;

  /**
   * Creates an association.
   *
   * @param received the largest number that was received with these keys; 0 for none
   */
  InboundAssociation(
      AssociationSettings settings,
      AssociationKeys keys,
      EspCipher cipher,
      long fingerprint,
      long received,
      long since) {
    super(settings, keys, cipher, fingerprint, since);
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

  @Override
  public long octets() {
    return octets;
  }

  @Override
  public long packets() {
    return packets;
  }

  /** The stack that opens its packets, or {@link #NOBODY}. */
  int owner() {
    return owner;
  }

  /** Makes a stack the owner, if there is none; returns whether it is now. */
  boolean own(int stack) {
    return owner == stack || OWNER.compareAndSet(this, NOBODY, stack);
  }

  /** Lets any stack become the owner, unless a packet was authentic. The owner's thread only. */
  void disown() {
    if (packets == 0) {
      owner = NOBODY;
    }
  }

  /**
   * Verifies and opens a packet in place (RFC 4303 section 3.4.3 and 3.4.4). The window moves only
   * for an authentic one. The owner's thread only.
   *
   * @return octets of payload, padding and trailer; or {@link #REPLAYED} or {@link #FORGED}
   */
  int open(long sealed, int length) {
    long number = window.number(Esp.sequence(sealed));
    if (!window.isNew(number)) {
      return REPLAYED;
    }
    int plain = cipher.open(sealed, length, number);
    if (plain < 0) {
      return FORGED;
    }
    window.add(number);
    octets += plain;
    packets++;
    return plain;
  }

  /** Transfers what has come. The owner's thread only. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(InboundAssociation.class);
    window.transfer(snapshot);
    octets = snapshot.number("octets", octets);
    packets = snapshot.number("packets", packets);
    snapshot.end();
  }

  /** Forgets the keys. The owner's thread only. */
  void close() {
    cipher.close();
  }
}
