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
   * Sends like {@link #send(long)}; but if more may follow, the segment waits for the end of this
   * turn of the duty cycle. Until then {@link #openPacket()} returns the packet, so that several
   * FPDUs can share a segment (RFC 5044 appendix A.2). No timer is involved.
   *
   * @param more whether more may follow in the same turn
   */
  default void send(long packet, boolean more) {
    send(packet);
  }

  /**
   * The packet of the last segment, if that waits and octets may be appended: octets written behind
   * the packet's window, up to EMSS in all, become part of the segment by {@link #extend}.
   *
   * @return its handle, which stays the connection's; 0 if there is none
   */
  default long openPacket() {
    return 0;
  }

  /**
   * Appends the octets written behind the window of {@link #openPacket()} to its segment.
   *
   * @param octets how many, greater than 0
   * @param more whether more may follow in the same turn
   * @throws IllegalStateException when no segment is open
   */
  default void extend(int octets, boolean more) {
    throw new IllegalStateException("no segment is open");
  }

  /**
   * A packet for a train: several segments one behind the other, which leave as one frame if the
   * device takes such ones ({@link org.rddp.device.FrameDevice#longestFrame()}).
   *
   * @return its handle, or 0 if the device takes none or no such packet is free: {@link
   *     #allocate()} may have one then
   */
  default long allocateTrain() {
    return 0;
  }

  /**
   * Sends the octets in the window of a packet of {@link #allocateTrain()} as the first segment of
   * a train, which waits for others until the end of this turn of the duty cycle. Takes over the
   * caller's reference.
   */
  default void beginTrain(long packet) {
    throw new IllegalStateException("no trains");
  }

  /**
   * The packet of the train that waits, if another segment as long as its last one can be put
   * behind that: behind the packet's window.
   *
   * @return its handle, which stays the connection's; 0 if there is none
   */
  default long openTrain() {
    return 0;
  }

  /**
   * Sends the octets written behind the window of {@link #openTrain()} as a segment of their own,
   * and again by themselves if they are lost.
   *
   * @param octets how many, greater than 0, and not more than the segments before have; the train
   *     ends with one that has fewer
   * @param more whether more may follow in the same turn
   * @throws IllegalStateException when no train waits
   */
  default void append(int octets, boolean more) {
    throw new IllegalStateException("no train waits");
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
