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
