package org.rddp.device;

/**
 * Sends and receives Ethernet frames. One engine thread owns it; other threads may only call {@link
 * #close()}, once that thread has stopped.
 */
public interface FrameDevice extends AutoCloseable {
  /** {@link #interrupt}: none; the thread must poll {@link #receive}. */
  int POLLED = -1;

  /** {@link #interrupt}: none needed; every frame comes from a transmission of the same thread. */
  int OWN_THREAD = -2;

  /** The pool of received packets and of packets to be sent. */
  PacketPool pool();

  /** The device's MAC address in the low 48 bits. */
  long macAddress();

  /**
   * The largest IP packet in octets that a frame carries, 68 to 65535: the frame without its
   * Ethernet header.
   */
  int mtu();

  /**
   * The largest IP packet in octets, {@link #mtu()} to 65535, of a frame that holds several TCP
   * segments of one connection, one behind the other under one header. Such frames may be received,
   * and sent while {@link #sendsLong()}: the device cuts them into segments that the link carries,
   * or passes them on whole. {@link #mtu()} if the device does not support them. Both the device
   * and its pool have buffers for them.
   */
  default int longestFrame() {
    return mtu();
  }

  /**
   * Whether frames longer than {@link #mtu()} may be sent now; up to {@link #longestFrame()} are
   * received in any case. May change from one turn of the engine to the next.
   */
  default boolean sendsLong() {
    return longestFrame() > mtu();
  }

  /** Whether the link is up. */
  boolean up();

  /**
   * The offloads of the device: bits of {@link Offloads}, constant. A device that wraps another,
   * and reads or changes frames, does not offer the other's offloads.
   */
  default int offloads() {
    return Offloads.NONE;
  }

  /**
   * Requests that the device complete the TCP checksum of a frame when the packet is sent next. The
   * checksum field must then hold the folded sum of the pseudo header, without the length if the
   * frame is to be cut; the IP header must have no options or extensions.
   *
   * @param link octets of the Ethernet header
   * @param ip octets of the IP header: 20 for IPv4, 40 for IPv6
   * @param tcp octets of the TCP header
   * @param segment octets of payload in each segment that the frame is to be cut into; 0 if it is
   *     to stay whole
   */
  default void requestOffload(long packet, int link, int ip, int tcp, int segment) {
    throw new UnsupportedOperationException("no checksums are computed here");
  }

  /**
   * The device's verdict on the TCP checksum of a packet that it has just received: {@link
   * Offloads#UNKNOWN}, {@link Offloads#GOOD} or {@link Offloads#BAD}.
   */
  default int checksum(long packet) {
    return Offloads.UNKNOWN;
  }

  /**
   * Whether segments of a connection are received here, and not by another queue of the same
   * device, as far as that can be predicted.
   */
  default boolean receives(int remote, int remotePort, int local, int localPort) {
    return true;
  }

  /** Like {@link #receives(int, int, int, int)}, for addresses of IPv6 by their halves. */
  default boolean receives(
      long remoteHigh,
      long remoteLow,
      int remotePort,
      long localHigh,
      long localLow,
      int localPort) {
    return true;
  }

  /**
   * Whether {@link #receives} is right for every connection, since it is known how the device
   * chooses the queue.
   *
   * @param ipv6 for connections over IPv6; otherwise over IPv4
   */
  default boolean foretells(boolean ipv6) {
    return false;
  }

  /**
   * Receives frames, without blocking.
   *
   * @param packets receives their handles, from index 0, each with a reference of the caller's
   * @return frames received, 0 to {@code packets.length}
   */
  int receive(long[] packets);

  /**
   * Sends frames in order, without blocking.
   *
   * @param packets handles of the frames
   * @param from index of the first frame
   * @param count frames
   * @return frames that the device took, from the first; it owns their references and releases them
   *     when they are sent. The others stay the caller's.
   */
  int transmit(long[] packets, int from, int count);

  /**
   * What wakes a sleeping thread when frames are received: a descriptor for edge-triggered
   * epoll(7), or {@link #POLLED}, or {@link #OWN_THREAD}.
   */
  default int interrupt() {
    return POLLED;
  }

  /**
   * Turns the interrupt on or off: while it is on, the device makes its descriptor readable when
   * frames come. It does not report frames that came before: the caller must call {@link #receive}
   * once more before it sleeps.
   */
  default void enableInterrupt(boolean on) {}

  /** Stops the device and releases the packets that it holds. */
  @Override
  void close();
}
