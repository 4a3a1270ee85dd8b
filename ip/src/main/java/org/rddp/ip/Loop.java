package org.rddp.ip;

import org.rddp.device.CaptureSink;
import org.rddp.device.PacketPool;

/**
 * Loopback for packets to our own address: a bounded queue of frames, which are received in a later
 * burst and never reach the device. A full queue drops frames, as a link would.
 *
 * <p>The queue shares the packet that the sender built until the frame has been processed.
 */
final class Loop {
  private static final int LARGEST_CAPACITY = 512;
  private static final int SMALLEST_CAPACITY = 4;

  private final EthernetLink link;
  private final PacketPool pool;
  private final IpCounters counters;
  private final Neighbour self;
  private final long[] frames;
  private int first;
  private int count;
  private CaptureSink capture;

  Loop(EthernetLink link, IpCounters counters, HostAddress address) {
    this.link = link;
    this.counters = counters;
    pool = link.pool();
    self = new Neighbour(address);
    // Bounded by the pool, like the queue of the link: no budget counts acknowledgments.
    frames = new long[Math.max(Math.min(LARGEST_CAPACITY, pool.capacity() / 8), SMALLEST_CAPACITY)];
  }

  /**
   * The next hop to our own address. Its MAC address stays unknown, so packets to it take the path
   * of those to an unknown neighbour, and other packets cost no comparison.
   */
  Neighbour self() {
    return self;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Frames that wait. */
  int size() {
    return count;
  }

  /**
   * Writes an Ethernet header in front of a packet and queues the frame. Takes over the reference.
   */
  void send(long packet, long payload, int length, int type) {
    if (count == frames.length) {
      counters.loopDropped++;
      pool.release(packet);
      return;
    }
    link.frame(packet, payload, length, link.macAddress(), type);
    int end = first + count;
    frames[end < frames.length ? end : end - frames.length] = packet;
    count++;
  }

  /**
   * Takes the frames that have waited longest.
   *
   * @param now passed to the sink of a capture
   * @param burst receives their packets, with their references
   * @return frames taken
   */
  int receive(long now, long[] burst) {
    int taken = Math.min(count, burst.length);
    for (int i = 0; i < taken; i++) {
      burst[i] = frames[first];
      first = first + 1 == frames.length ? 0 : first + 1;
    }
    count -= taken;
    counters.looped += taken;
    if (capture != null) {
      capture(now, burst, taken);
    }
    return taken;
  }

  private void capture(long now, long[] burst, int taken) {
    for (int i = 0; i < taken; i++) {
      capture.offer(now, pool.address(burst[i]), pool.length(burst[i]));
    }
  }

  /** Passes every frame taken to a sink as well; null to stop. */
  void capture(CaptureSink sink) {
    capture = sink;
  }

  /** Releases the frames that wait. */
  void close() {
    for (; count > 0; count--) {
      pool.release(frames[first]);
      first = first + 1 == frames.length ? 0 : first + 1;
    }
  }
}
