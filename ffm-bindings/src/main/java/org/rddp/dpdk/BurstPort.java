package org.rddp.dpdk;

/**
 * A started port whose queues receive and transmit bursts of frames in packet buffers of DPDK.
 *
 * <p>Bursts of a queue must always be called by the same thread, other methods by one thread at a
 * time.
 */
public interface BurstPort {
  /** Identity and capabilities of the port when it was opened. */
  PortInfo info();

  /** Whether the link is up now: frames can pass. */
  boolean up();

  /**
   * Whether the peer has agreed to take frames of several TCP segments; false where no peer
   * decides.
   */
  default boolean peerTakesLong() {
    return false;
  }

  /** Counters of the port's traffic. */
  PortStatistics statistics();

  /**
   * Turns the port's signals for received frames on or off. Call on the thread that receives. Some
   * ports cannot turn them off.
   */
  void enableInterrupt(int queue, boolean on);

  /**
   * Receives frames.
   *
   * @param array address of {@code count} 64-bit words that receive the buffers' addresses; the
   *     caller owns a reference to each
   * @param count the most frames, 0 to 32767
   * @return the number of frames
   */
  int receive(int queue, long array, int count);

  /**
   * Transmits frames in order.
   *
   * @param array address of {@code count} 64-bit words that hold the buffers' addresses
   * @param count number of frames, 0 to 32767
   * @return how many frames the port accepted, counted from the first; it owns a reference to each
   *     of these
   */
  int transmit(int queue, long array, int count);
}
