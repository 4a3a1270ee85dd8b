package org.rddp.tcp;

import org.rddp.device.PacketPool;

/**
 * A TCP connection, as its user sees it. All calls on the engine's thread.
 *
 * <p>The user builds each segment in the packet that is sent and kept until it is acknowledged. So
 * a segment holds whole FPDUs, and payload is copied once (RFC 5044 appendix A).
 */
public interface TcpStream {
  /**
   * Passes the connection on to another user, which gets every later call, also during a call of
   * the one before. Does nothing once the connection has ended.
   */
  void handler(StreamHandler next);

  /** The pool of this connection's packets. */
  PacketPool pool();

  /**
   * The effective maximum segment size in octets: the most payload that one segment carries (RFC
   * 5044 section 2).
   */
  int emss();

  /** Stream position of the next octet to be sent; the first octet ever sent is 0. */
  long sendPosition();

  /**
   * The left edge of the receive window: every octet before this stream position has been handed
   * up, or is being handed up. The peer's first octet is at 0.
   */
  long receivePosition();

  /**
   * Whether another segment would be sent now: the windows have room for one of EMSS octets, no
   * other waits, and a packet may be allocated. If false, {@link StreamHandler#onSendable()}
   * follows when this may have changed. {@link #send(long)} takes segments in any case, but they
   * wait.
   */
  boolean sendable();

  /**
   * A packet for a segment: an empty window with room in front for all headers and behind for EMSS
   * octets.
   *
   * @return its handle, or 0 if there is none; {@link StreamHandler#onSendable()} then follows
   */
  long allocate();

  /**
   * Sends the octets in the packet's window as one segment, now or as soon as the windows allow,
   * and again as the same segment if it is lost. More than EMSS octets are sent as several
   * segments. Takes over the caller's reference.
   */
  void send(long packet);

  /**
   * Room for the octets of the next segment, or of a part of one, which the user writes and then
   * {@linkplain #commit commits} before it calls any stream of the engine again. It is, in this
   * order:
   *
   * <ul>
   *   <li>if {@code packs}, behind the segment that waits, if {@link #openRoom} suffices: several
   *       FPDUs share a segment (RFC 5044 appendix A.2)
   *   <li>behind the train that waits, if its last segment is full and the octets are at most its
   *       {@link #trainSegment}
   *   <li>if {@code leads}, at the beginning of a packet for a train: several segments one behind
   *       the other, which leave as one frame if the device takes such ones ({@link
   *       org.rddp.device.FrameDevice#longestFrame()})
   *   <li>at the beginning of a packet of its own
   * </ul>
   *
   * @param octets 1 to EMSS
   * @param packs whether they may share the segment that waits
   * @param leads whether segments as long as this one may follow in the same turn
   * @return its address; 0 if there is none: {@link StreamHandler#onSendable()} then follows
   */
  long reserve(int octets, boolean packs, boolean leads);

  /**
   * Sends the octets written to {@link #reserve reserved} room: as a segment, now or as soon as the
   * windows allow, and again as the same segment if it is lost. If more may follow, they wait for
   * the end of this turn of the duty cycle, so that others can share their segment or their frame.
   * No timer is involved.
   *
   * @param octets as many as were reserved
   * @param more whether more may follow in the same turn; always assumed of the first segment of a
   *     train
   */
  void commit(int octets, boolean more);

  /** Octets that the segment that waits has room for, up to EMSS in all; 0 if none waits. */
  default int openRoom() {
    return 0;
  }

  /**
   * Octets with which the train that waits goes on: those of each of its segments, if there is room
   * for another of that length, or those that its last segment lacks, which then are its {@link
   * #openRoom}. 0 otherwise. The train ends with a segment that stays shorter than the others, and
   * before one that is longer.
   */
  default int trainSegment() {
    return 0;
  }

  /**
   * Whether the security policy of the interface requires every packet of the connection to be in
   * ESP, in both directions. False for a connection with our own address, which never leaves.
   */
  default boolean secured() {
    return false;
  }

  /**
   * Counts what is sent from now on.
   *
   * @param counter of the connection's owner; null for none
   */
  default void countTo(SentOctets counter) {}

  /**
   * Opens the receive window: the user has consumed that many octets handed up by {@link
   * StreamHandler#onSegment}. Octets out of order count when the left edge has passed them.
   */
  void consumed(int octets);

  /**
   * Counts packets with octets in order that the user keeps for longer than the call that handed
   * them up. They share the budget of packets received out of order: while the user keeps one and
   * the budget grants no more, segments are dropped, and the peer sends them again, unless {@link
   * StreamHandler#keepsNoMore}. The user counts each packet down again, also after the connection's
   * end.
   *
   * @param more packets that the user keeps from now on; negative for packets released
   */
  void keeps(int more);

  /** Closes our half: a FIN follows everything sent. Receiving continues. */
  void closeSend();

  /** Ends the connection with a reset, at once; {@link StreamHandler#onClosed} follows. */
  void abort();

  /**
   * Sets the connection's only alarm: {@link StreamHandler#onAlarm} is called at the given time or
   * shortly after.
   *
   * @param deadline in the engine's nanoseconds, or {@link Long#MAX_VALUE} for none
   */
  void alarm(long deadline);

  /** The engine's time in nanoseconds, as of this turn of the duty cycle. */
  long now();

  /**
   * Octets sent, or waiting to be sent, that the peer has not acknowledged; also after the end of
   * the connection.
   */
  long unacknowledged();

  /**
   * Has {@link StreamHandler#onAcknowledged()} called, once, when the peer's next segment comes.
   */
  void awaitAcknowledgment();
}
