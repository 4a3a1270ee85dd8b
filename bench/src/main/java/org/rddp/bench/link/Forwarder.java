package org.rddp.bench.link;

import org.rddp.device.FrameDevice;

/** Carries frames between two devices, both ways, over a link of some shape. For one thread. */
final class Forwarder {
  private final LinkDirection there;
  private final LinkDirection back;

  /** Between two devices, which stay the caller's, over a link of this shape. */
  Forwarder(FrameDevice near, FrameDevice far, LinkSettings shape) {
    there = new LinkDirection(near, far, 0);
    back = new LinkDirection(far, near, 1);
    configure(shape);
  }

  /** Gives the link another shape, and counts frames from 0. */
  void configure(LinkSettings shape) {
    there.configure(shape);
    back.configure(shape);
  }

  /**
   * Takes what has come, and hands over what has arrived.
   *
   * @return how many frames it has moved
   */
  int turn(long now) {
    return there.turn(now) + back.turn(now);
  }

  /** What has happened since the shape was set. */
  LinkCounts counts() {
    return there.counts().plus(back.counts());
  }

  /** Gives back what is under way. */
  void clear() {
    there.clear();
    back.clear();
  }
}
