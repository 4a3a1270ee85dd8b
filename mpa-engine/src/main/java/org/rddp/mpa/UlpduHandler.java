package org.rddp.mpa;

import org.rddp.tcp.CloseReason;

/**
 * What a user of MPA (DDP) implements: how an {@link MpaConnection} speaks upward. All calls come
 * on the engine's thread.
 */
public interface UlpduHandler {
  /**
   * Responder: a valid Request has come. The user answers, now or later, with {@link
   * MpaConnection#accept} or {@link MpaConnection#reject}.
   *
   * @param privateData the Request's, 0 to 512 octets
   */
  void onRequest(byte[] privateData);

  /**
   * Full Operation has begun (RFC 5044 section 7.1.2): ULPDUs may arrive. Our own may leave once
   * {@link MpaConnection#sendable()} says so: a Responder waits for the Initiator's first FPDU.
   *
   * @param privateData Initiator: the Reply's, 0 to 512 octets; Responder: empty
   */
  void onFullOperation(byte[] privateData);

  /**
   * Initiator: the Responder's program declined (R=1). TCP stays open until it is closed.
   *
   * @param privateData the Reply's, 0 to 512 octets
   */
  void onRejected(byte[] privateData);

  /**
   * A ULPDU has been received and its CRC verified. Unless it is {@link Ulpdu#early()}, which only
   * {@link MpaSettings#early()} and the default of {@link #onEarlyUlpdu} allow, everything before
   * it has been passed too.
   *
   * @param ulpdu where its octets lie; valid only during this call
   */
  void onUlpdu(Ulpdu ulpdu);

  /**
   * An early ULPDU has been received and its CRC verified. A user that cannot do with it now, for
   * whatever reason, declines: MPA keeps it then, may offer it again, and passes it by {@link
   * #onUlpdu} when it has its turn.
   *
   * @param ulpdu where its octets lie; valid only during this call
   * @return whether it was taken
   */
  default boolean onEarlyUlpdu(Ulpdu ulpdu) {
    onUlpdu(ulpdu);
    return true;
  }

  /**
   * A gap before early ULPDUs is closed: those that begin before the position have their turn, in
   * the order of their positions (RFC 5044 appendix A.3). They are not passed again. What follows
   * is passed by {@link #onUlpdu}.
   *
   * @param position stream position before which every ULPDU has been passed
   */
  default void onDelivered(long position) {}

  /** Sending may be tried again after {@link MpaConnection#sendable()} was false. */
  void onSendable();

  /** {@link MpaConnection#mulpdu()} of a full segment has changed. */
  void onMulpdu(int mulpdu);

  /**
   * The peer has closed its half at an FPDU boundary and everything before has been passed. Our
   * half stays usable (error 1, graceful: RFC 5044 section 8).
   */
  void onPeerClosed();

  /**
   * An error of RFC 5044 section 8 or RFC 6581 section 8. Nothing more is passed upward; the user
   * decides when to close.
   *
   * @param error its number
   * @param detail what was wrong and where, for a person to read
   */
  void onError(MpaError error, String detail);

  /** The TCP connection is gone; called once, last. */
  void onClosed(CloseReason reason);
}
