package org.rddp.bench.link;

import java.util.SplittableRandom;
import org.rddp.device.FrameDevice;
import org.rddp.device.TransmitQueue;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;

/**
 * One direction of a link, from a device to another. Frames with TCP in them are lost at random, by
 * the seed and by their number since the settings were changed. Other frames, such as ARP's, are
 * neither lost nor counted.
 */
final class LinkDirection {
  private static final int BURST = 64;
  private static final int FRAMES = 1 << 14;

  private final FrameDevice from;
  private final TransmitQueue to;
  private final LinkQueue underWay = new LinkQueue(FRAMES);
  private final int direction;
  private final long[] burst = new long[BURST];
  private double loss;
  private SplittableRandom random;
  private long frames;
  private long lost;
  private long dropped;

  /**
   * Creates a direction; call {@link #configure} first.
   *
   * @param direction 0 or 1: each direction loses other frames
   */
  LinkDirection(FrameDevice from, FrameDevice to, int direction) {
    this.from = from;
    this.to = new TransmitQueue(to, BURST);
    this.direction = direction;
  }

  /** Changes the settings, and counts from 0. */
  void configure(LinkSettings settings) {
    underWay.configure(settings);
    loss = settings.loss();
    random = new SplittableRandom(2 * settings.seed() + direction);
    frames = 0;
    lost = 0;
    dropped = 0;
  }

  /**
   * Receives frames, and transmits those that have crossed the link.
   *
   * @return how many frames were moved
   */
  int turn(long now) {
    int came = from.receive(burst);
    for (int i = 0; i < came; i++) {
      take(burst[i], now);
    }
    int arrived = 0;
    while (underWay.due(now) && to.room()) {
      to.offer(underWay.poll());
      arrived++;
    }
    to.flush();
    return came + arrived;
  }

  private void take(long packet, long now) {
    if (isTcp(packet)) {
      frames++;
      if (random.nextDouble() < loss) {
        lost++;
        from.pool().release(packet);
        return;
      }
    }
    if (!underWay.offer(packet, from.pool().length(packet), now)) {
      dropped++;
      from.pool().release(packet);
    }
  }

  private boolean isTcp(long packet) {
    long frame = from.pool().address(packet);
    return from.pool().length(packet) >= Ethernet.HEADER + Ipv4.HEADER
        && Ethernet.type(frame) == Ethernet.TYPE_IPV4
        && Ipv4.protocol(frame + Ethernet.HEADER) == Ipv4.PROTOCOL_TCP;
  }

  LinkCounts counts() {
    return new LinkCounts(frames, lost, dropped);
  }

  void clear() {
    while (underWay.size() > 0) {
      from.pool().release(underWay.poll());
    }
    to.clear();
  }
}
