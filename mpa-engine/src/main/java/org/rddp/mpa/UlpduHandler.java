package org.rddp.mpa;

import org.rddp.tcp.CloseReason;

/**
 * Callbacks from an {@link MpaConnection} to its user (DDP). All calls are made on the engine's
 * thread.
 */
public interface UlpduHandler {
  /**
   * Full Operation has begun (RFC 5044 section 7.1.2): ULPDUs may arrive. Ours may be sent once
   * {@link MpaConnection#sendable()} returns true: a Responder waits for the Initiator's first
   * FPDU. Not called if the connection fails or ends before.
   */
  void onFullOperation(MpaConnection connection);

  /**
   * A ULPDU has been received and its CRC verified. Unless it is {@link Ulpdu#early()}, which only
   * {@link MpaSettings#early()} and the default of {@link #onEarlyUlpdu} allow, everything before
   * it has been passed too.
   *
   * @param ulpdu its octets, in place; valid only during this call
   */
  void onUlpdu(Ulpdu ulpdu);

  /**
   * An early ULPDU has been received and its CRC verified. The user may decline it for any reason:
   * MPA then keeps it, may offer it again, and passes it to {@link #onUlpdu} once everything before
   * it has been passed.
   *
   * @param ulpdu its octets, in place; valid only during this call
   * @return whether the user took it
   */
  default boolean onEarlyUlpdu(Ulpdu ulpdu) {
    onUlpdu(ulpdu);
    return true;
  }

  /**
   * A gap before early ULPDUs has been filled: those that begin before the position may now be
   * Delivered, in the order of their positions (RFC 5044 appendix A.3). They are not passed again.
   * Later ULPDUs are passed to {@link #onUlpdu}.
   *
   * @param position stream position before which every ULPDU has been passed
   */
  default void onDelivered(long position) {}

  /** Sending may be tried again after {@link MpaConnection#sendable()} was false. */
  void onSendable();

  /**
   * {@link MpaConnection#acknowledged()} may have changed since {@link
   * MpaConnection#awaitAcknowledgment()} was called. ULPDUs that came with the acknowledgment have
   * been passed before.
   */
  default void onFpdusAcknowledged() {}

  /** {@link MpaConnection#fullMulpdu()} has changed. */
  void onMulpdu(int mulpdu);

  /**
   * The peer has closed its half at an FPDU boundary, and everything before has been passed. Our
   * half stays usable (error 1, graceful: RFC 5044 section 8).
   */
  void onPeerClosed();

  /**
   * An error of RFC 5044 section 8 or RFC 6581 section 8. Nothing more is passed upward; the user
   * decides when to close.
   *
   * @param error its number
   * @param detail the error and its position, for people to read
   */
  void onError(MpaError error, String detail);

  /** The TCP connection has ended. Called once, as the last call. */
  void onClosed(CloseReason reason);
}
