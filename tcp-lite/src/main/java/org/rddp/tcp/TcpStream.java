package org.rddp.tcp;

import org.rddp.device.PacketPool;

/**
 * What a user of a TCP connection may do with it. All calls on the engine's thread.
 *
 * <p>The user builds each segment itself, in the packet that will go out and be kept until it is
 * acknowledged: so a segment holds whole FPDUs and payload is copied once (RFC 5044 appendix A).
 */
public interface TcpStream {
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
   * Whether another segment would leave now: the windows have room for one of EMSS octets, nothing
   * waits before it, and a packet is to be had. When false, {@link StreamHandler#onSendable()}
   * follows as soon as it is worth asking again. {@link #send(long)} takes segments all the same,
   * but they wait.
   */
  boolean sendable();

  /**
   * A packet for a segment: an empty window with room in front for all headers and behind for EMSS
   * octets.
   *
   * @return its handle, or 0 when none is to be had; {@link StreamHandler#onSendable()} then
   *     follows
   */
  long allocate();

  /**
   * Sends the octets in the packet's window. They go out as one segment, now or as soon as the
   * windows allow, and again as the same segment when they are lost. A window of more than EMSS
   * octets goes out as several segments. Takes over the caller's reference.
   */
  void send(long packet);

  /**
   * Sends like {@link #send(long)}, but if more may follow, not before this turn of the duty cycle
   * ends: until then {@link #openPacket()} gives the packet, so that several FPDUs can share a
   * segment (RFC 5044 appendix A.2). No timer is involved.
   *
   * @param more whether more may follow in the same turn
   */
  default void send(long packet, boolean more) {
    send(packet);
  }

  /**
   * The packet of the segment sent last, if it has not left and may still be written to: octets
   * written behind its window, of no more than EMSS in all, become part of the segment by {@link
   * #extend}.
   *
   * @return its handle, which stays the connection's; 0 if there is no such segment
   */
  default long openPacket() {
    return 0;
  }

  /**
   * Puts the octets written behind the window of {@link #openPacket()} into its segment.
   *
   * @param octets how many, greater than 0
   * @param more whether more may follow in the same turn
   * @throws IllegalStateException when no segment is open
   */
  default void extend(int octets, boolean more) {
    throw new IllegalStateException("no segment is open");
  }

  /**
   * Whether a segment that is not full waits while data is in flight, from now on; at first that is
   * as {@link TcpSettings#nagle()} says. Turned off, it lets what waits leave (TCP_NODELAY).
   */
  default void nagle(boolean on) {}

  /**
   * Gives back receive window: the user is done with that many octets handed up by {@link
   * StreamHandler#onSegment}. Octets before their turn may be given back at once, too; the window
   * opens by them when the left edge has passed them.
   */
  void consumed(int octets);

  /** Closes our half: a FIN follows everything sent. Receiving goes on. */
  void closeSend();

  /** Ends the connection with a reset, at once; {@link StreamHandler#onClosed} follows. */
  void abort();

  /**
   * Sets the connection's one alarm: {@link StreamHandler#onAlarm} at the given time or soon after.
   *
   * @param deadline in the engine's nanoseconds, or {@link Long#MAX_VALUE} for none
   */
  void alarm(long deadline);

  /** The engine's time in nanoseconds, as of this turn of the duty cycle. */
  long now();

  /** Octets sent, or waiting to be sent, that the peer has not acknowledged. */
  long unacknowledged();
}
