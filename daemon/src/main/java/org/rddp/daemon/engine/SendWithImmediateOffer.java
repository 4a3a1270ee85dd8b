package org.rddp.daemon.engine;

import java.util.Arrays;
import org.rddp.snapshot.Snapshot;

/**
 * Finds out whether both ends of a connection want Sends with immediate data, which RDMAP does not
 * have. An end that wants them says so behind its program's Private Data (RFC 5044 section 7.1.4),
 * in 12 octets that the other end's daemon takes off. So a peer that is not rddp gets nothing but a
 * longer Private Data, and only from programs that have asked for such Sends.
 */
final class SendWithImmediateOffer {
  /**
   * "RDDP", four random octets, and what is offered: bit 0 Sends with immediate data, others zero.
   */
  private static final byte[] OFFER = {
    'R', 'D', 'D', 'P', (byte) 0xb7, 0x1d, (byte) 0xe4, 0x59, 0, 0, 0, 1
  };

  private final boolean wanted;
  private boolean agreed;

  /** Makes an offer if the connection's program wants such Sends. */
  SendWithImmediateOffer(boolean wanted) {
    this.wanted = wanted;
  }

  /** The Private Data of the request. */
  byte[] request(byte[] privateData) {
    return wanted ? append(privateData) : privateData;
  }

  /** Takes the peer's offer, if it has made one, off the Private Data that has come. */
  byte[] take(byte[] received) {
    int rest = received.length - OFFER.length;
    boolean offered =
        rest >= 0 && Arrays.equals(received, rest, received.length, OFFER, 0, OFFER.length);
    agreed = wanted && offered;
    return offered ? Arrays.copyOf(received, rest) : received;
  }

  /**
   * The Private Data of a reply that accepts. Where it has no room for the offer, none is made.
   *
   * @param room the most octets that the reply carries
   */
  byte[] reply(byte[] privateData, int room) {
    agreed = agreed && privateData.length + OFFER.length <= room;
    return agreed ? append(privateData) : privateData;
  }

  /** Whether both ends want them, once the peer's Private Data has come. */
  boolean agreed() {
    return agreed;
  }

  /** For an error: why the Private Data is longer than the program's; empty if it is not. */
  String reason() {
    return wanted ? "; %d of them ask for Sends with immediate data".formatted(OFFER.length) : "";
  }

  /** Transfers whether both ends want them. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SendWithImmediateOffer.class);
    agreed = snapshot.flag("agreed", agreed);
    snapshot.end();
  }

  private static byte[] append(byte[] privateData) {
    byte[] all = Arrays.copyOf(privateData, privateData.length + OFFER.length);
    System.arraycopy(OFFER, 0, all, privateData.length, OFFER.length);
    return all;
  }
}
