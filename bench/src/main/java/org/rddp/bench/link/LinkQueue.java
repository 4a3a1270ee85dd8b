package org.rddp.bench.link;

/**
 * Frames under way: they leave one after the other at a rate, and arrive after a delay. Bounded by
 * the octets that wait to leave, and by the number of frames. The caller gives the time, in ns.
 */
final class LinkQueue {
  /** Octets beside a frame's own: preamble, check sequence and the gap between frames. */
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
   * Creates an empty queue; call {@link #configure} first.
   *
   * @param frames that may be under way
   */
  LinkQueue(int frames) {
    packets = new long[frames];
    arrivals = new long[frames];
  }

  /** Changes rate, delay and bound for the frames to come. */
  void configure(LinkSettings settings) {
    nanosPerOctet = 8 / settings.gbps();
    delay = settings.delay();
    mostWaiting = (long) (settings.queue() * nanosPerOctet);
  }

  /**
   * Adds a frame.
   *
   * @return false where there is no room for it
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

  /** Whether the first frame has arrived. */
  boolean due(long now) {
    return count > 0 && arrivals[first] - now <= 0;
  }

  long poll() {
    long packet = packets[first];
    first = (first + 1) % packets.length;
    count--;
    return packet;
  }

  int size() {
    return count;
  }
}
