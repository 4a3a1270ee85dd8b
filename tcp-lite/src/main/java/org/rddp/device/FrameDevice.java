package org.rddp.device;

/**
 * Sends and receives Ethernet frames. One engine thread owns it; no method may be called from
 * another thread, but for {@link #close()} once that thread has stopped.
 */
public interface FrameDevice extends AutoCloseable {
  /** The pool that received packets come from and that packets to be sent should come from. */
  PacketPool pool();

  /** The device's MAC address in the low 48 bits. */
  long macAddress();

  /**
   * The largest IP packet in octets that a frame carries, 68 to 65535: the frame without its
   * Ethernet header.
   */
  int mtu();

  /** Whether the link is up. */
  boolean up();

  /**
   * What the device does by itself: bits of {@link Offloads}, always the same. A device that wraps
   * another and looks into frames says nothing of the other's.
   */
  default int offloads() {
    return Offloads.NONE;
  }

  /**
   * Leaves the TCP checksum of a frame to the device, for the next time that the packet is sent.
   * Its field must hold the folded sum of the pseudo header by then, for a frame that is to be cut
   * without the length; the IP header needs no options.
   *
   * @param link octets of the Ethernet header
   * @param ip octets of the IP header
   * @param tcp octets of the TCP header
   * @param segment octets of payload in each segment that the frame is to be cut into; 0 if it is
   *     to stay whole
   */
  default void requestOffload(long packet, int link, int ip, int tcp, int segment) {
    throw new UnsupportedOperationException("no checksums are computed here");
  }

  /**
   * What the device found out about the TCP checksum of a packet that it has just received: {@link
   * Offloads#UNKNOWN}, {@link Offloads#GOOD} or {@link Offloads#BAD}.
   */
  default int checksum(long packet) {
    return Offloads.UNKNOWN;
  }

  /** The hash by which a packet just received came to its queue; 0 for none. */
  default int hash(long packet) {
    return 0;
  }

  /**
   * Takes received frames.
   *
   * @param packets where their handles go, from index 0; the caller owns the reference of each
   * @return how many, 0 to {@code packets.length}; never blocks
   */
  int receive(long[] packets);

  /**
   * Sends frames, in order.
   *
   * @param packets the handles
   * @param from index of the first
   * @param count how many
   * @return how many the device took, from the first; it owns a reference of each of these and
   *     gives it back when the frame is sent. The rest still belong to the caller, who may try
   *     again. Never blocks.
   */
  int transmit(long[] packets, int from, int count);

  /** Stops the device and gives back what it holds. */
  @Override
  void close();
}
