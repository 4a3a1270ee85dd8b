package org.rddp.bench.link;

/**
 * Frames on their way: they leave one after the other at a rate, and arrive so much later. Bounded
 * by the octets that wait to leave, and by frames in all. The clock is the caller's, in ns.
 */
final class LinkQueue {
  /** Preamble, check sequence and the gap between frames: what each takes besides its octets. */
  private static final int AROUND = 24;

  private final long[] packets;
  private final long[] arrivals;
  private double nanosPerOctet;
  private long delay;
  private long mostWaiting;
  private long free;
  private int first;
  private int count;

  /**
   * An empty one, which {@link #configure} must give its rate.
   *
   * @param frames under way at the most
   */
  LinkQueue(int frames) {
    packets = new long[frames];
    arrivals = new long[frames];
  }

  /** Changes what frames suffer that come from now on. */
  void configure(LinkSettings shape) {
    nanosPerOctet = 8 / shape.gbps();
    delay = shape.delay();
    mostWaiting = (long) (shape.queue() * nanosPerOctet);
  }

  /**
   * Takes a frame.
   *
   * @return false, and nothing has changed, when there is no room
   */
  boolean offer(long packet, int octets, long now) {
    long begins = Math.max(now, free);
    if (count == packets.length || begins - now > mostWaiting) {
      return false;
    }
    free = begins + (long) ((octets + AROUND) * nanosPerOctet);
    int at = (first + count++) % packets.length;
    packets[at] = packet;
    arrivals[at] = free + delay;
    return true;
  }

  /** Whether a frame has arrived. */
  boolean due(long now) {
    return count > 0 && arrivals[first] - now <= 0;
  }

  /** Takes out the frame that arrives first; one must be there. */
  long poll() {
    long packet = packets[first];
    first = (first + 1) % packets.length;
    count--;
    return packet;
  }

  /** Frames under way. */
  int size() {
    return count;
  }
}
