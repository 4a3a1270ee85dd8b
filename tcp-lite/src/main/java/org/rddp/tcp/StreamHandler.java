package org.rddp.tcp;

import org.rddp.tcp.storage.EarlySegments;

/**
 * Handles the events of a TCP connection; implemented by its user. All calls are made on the
 * engine's thread, from within the stack's methods; a handler may call its {@link TcpStream} from
 * any of them.
 */
public interface StreamHandler extends EarlySegments.Consumer {
  /**
   * The connection is established: both ends may send. Called once, first; not called if {@link
   * TcpStream#handler} passes on an established connection.
   */
  default void onOpen(TcpStream stream) {}

  /**
   * Called for every segment with payload in the window, before it is processed or acknowledged. A
   * user with a better check than TCP's checksum can drop the segment as if it had not arrived; the
   * peer then sends it again (RFC 5044 section 8).
   *
   * @param position stream position of its first octet; octets of it may have been received before
   * @param address of its payload
   * @param length octets of payload, greater than 0
   * @return false to drop the segment
   */
  default boolean accepts(long position, long address, int length) {
    return true;
  }

  /**
   * Whether the user would keep no more packets than now if it were handed the next octets in
   * order. Asked while it keeps some ({@link TcpStream#keeps}) and the budget grants no more: TCP
   * takes such octets, on which the release of packets kept behind a gap may wait.
   *
   * @param length octets, greater than 0
   * @param packet that holds them
   */
  default boolean keepsNoMore(int length, long packet) {
    return false;
  }

  /**
   * Touches the state that the next segment needs, so that cache misses of a burst for many
   * connections overlap. Nothing is checked or changed.
   *
   * @return anything that depends on what was loaded, which keeps the JIT from removing the loads
   */
  default int prefetch() {
    return 0;
  }

  /**
   * Octets have arrived, in order or not, as soon as their segment is accepted (RFC 5044 appendix
   * A.3). Every octet is handed up exactly once: if a segment repeats some, each new piece has a
   * call of its own. A user that needs octets in order keeps the others in {@link
   * org.rddp.tcp.storage.EarlySegments}.
   *
   * <p>For octets in order, {@code position + length} is {@link TcpStream#receivePosition()} during
   * this call. For octets out of order, {@code position} is greater than that; {@link #onLeftEdge}
   * follows when they are in order.
   *
   * <p>The octets stay in the packet and count against the receive window until {@link
   * TcpStream#consumed(int)}. Retain the packet to keep them beyond this call.
   *
   * @param position stream position of the first octet; the peer's first octet has 0
   * @param address of the first octet
   * @param length octets, greater than 0
   * @param packet that holds them
   */
  @Override
  void onSegment(long position, long address, int length, long packet);

  /**
   * The left edge has moved past a closed gap: every octet before the position has been handed up.
   * Not called if {@link #onSegment} alone has moved the left edge behind its own octets.
   *
   * @param position the left edge of the receive window, {@link TcpStream#receivePosition()}
   */
  void onLeftEdge(long position);

  /**
   * Sending may succeed again, after {@link TcpStream#sendable()} was false or {@link
   * TcpStream#allocate()} returned 0.
   */
  void onSendable();

  /**
   * The peer may have acknowledged octets since {@link TcpStream#awaitAcknowledgment()} was called.
   * Called once for that, behind everything that the peer's segment has brought. An acknowledgment
   * that ends the connection is followed by {@link #onClosed} alone.
   */
  default void onAcknowledged() {}

  /** {@link TcpStream#emss()} has changed. */
  void onEmss(int emss);

  /** The time set by {@link TcpStream#alarm(long)} has been reached. */
  void onAlarm(long now);

  /**
   * The peer has closed its half (FIN) and everything before it has been handed up. Our half stays
   * open.
   */
  void onPeerClosed();

  /**
   * The connection has ended. Called once, as the last call, also if the connection was never
   * established.
   *
   * @param reason for the end
   */
  void onClosed(CloseReason reason);
}
