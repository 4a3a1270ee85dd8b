package org.rddp.device;

/**
 * Packet buffers by handle.
 *
 * <p>A packet is a reference-counted buffer with a window (the octets of the frame) that can be
 * moved within it: headers are put in front of a payload without copying it. A handle is a number
 * that means something to its pool only (DPDK: the mbuf's address); 0 is never a packet. Handles
 * and counts belong to the engine thread that owns the pool; no method may be called from another
 * thread.
 */
public interface PacketPool {
  /**
   * A packet with one reference, an empty window, and {@link #headroom()} octets in front of it.
   *
   * @return its handle, or 0 when the pool is empty
   */
  long allocate();

  /** Adds a reference. */
  void retain(long packet);

  /** Gives one reference back; with the last the buffer returns to the pool. */
  void release(long packet);

  /**
   * Whether anyone else, such as a device that has not finished sending it, holds the packet too. A
   * shared packet must not be written.
   */
  boolean shared(long packet);

  /** Address of the first octet of the window. */
  long address(long packet);

  /** Octets in the window. */
  int length(long packet);

  /**
   * Moves the window.
   *
   * @param address its first octet, at least {@link #start(long)}
   * @param length its octets; {@code address + length} at most {@link #end(long)}
   */
  void window(long packet, long address, int length);

  /** Address of the buffer's first octet. */
  long start(long packet);

  /** Address behind the buffer's last octet. */
  long end(long packet);

  /**
   * Octets in front of the window of a packet just allocated; the same for all packets of a pool,
   * at least 128.
   */
  int headroom();

  /** Octets that fit behind the headroom of a packet just allocated. */
  int room();

  /** Packets that can be allocated now; a lower bound. */
  int available();

  /** Packets in all, allocated or not. */
  int capacity();
}
