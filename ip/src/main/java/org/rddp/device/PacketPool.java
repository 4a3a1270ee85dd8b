package org.rddp.device;

/**
 * A pool of packet buffers, known by their handles.
 *
 * <p>A packet is a reference-counted buffer with a movable window, the octets of the frame: headers
 * are written in front of a payload without copying it. A handle is a number that only its pool can
 * interpret (DPDK: the address of the mbuf); 0 is never a packet. Only the engine thread that owns
 * the pool may call its methods.
 */
public interface PacketPool {
  /**
   * Allocates a packet with one reference, an empty window, and at least 128 octets in front of it.
   *
   * @return its handle, or 0 if the pool is empty
   */
  long allocate();

  /**
   * Allocates a packet like {@link #allocate()}, with room for a frame that is longer than the MTU
   * allows: {@link FrameDevice#longestFrame()}.
   *
   * @return its handle, or 0 if none is free or the pool has none
   */
  default long allocateLong() {
    return 0;
  }

  /**
   * The number of packets for {@link #allocateLong()}, allocated or not; {@link #capacity()} does
   * not include them.
   */
  default int longCapacity() {
    return 0;
  }

  /** Whether it is a packet of {@link #allocateLong()}. */
  default boolean isLong(long packet) {
    return false;
  }

  /**
   * How many packets of {@link #allocate()} a packet counts for where kept ones are limited: long
   * ones are few, so that of both kinds the same share may be kept.
   */
  default int weight(long packet) {
    return isLong(packet) ? Math.max(capacity() / Math.max(longCapacity(), 1), 1) : 1;
  }

  /** Adds a reference. */
  void retain(long packet);

  /** Removes a reference; with the last one the buffer returns to the pool. */
  void release(long packet);

  /**
   * Whether there are other references to the packet, such as that of a device that is still
   * sending it. A shared packet must not be written.
   */
  boolean shared(long packet);

  /** Address of the first octet of the window. */
  long address(long packet);

  /** Octets in the window. */
  int length(long packet);

  /**
   * Moves the window.
   *
   * @param address of its first octet, at least {@link #start(long)}
   * @param length octets; {@code address + length} is at most {@link #end(long)}
   */
  void window(long packet, long address, int length);

  /** Address of the buffer's first octet. */
  long start(long packet);

  /** Address behind the buffer's last octet. */
  long end(long packet);

  /** Octets that fit behind the first octet of the window of a packet just allocated. */
  int room();

  /** The number of packets that can be allocated now; a lower bound. */
  int available();

  /** The number of packets, allocated or not. */
  int capacity();
}
