package org.rddp.bench.link;

import org.rddp.device.FrameDevice;

/** Carries frames between two devices, both ways, over a link of some shape. For one thread. */
final class Forwarder {
  private final Lane there;
  private final Lane back;

  /** Between two devices, which stay the caller's, over a link of this shape. */
  Forwarder(FrameDevice near, FrameDevice far, LinkShape shape) {
    there = new Lane(near, far, 0);
    back = new Lane(far, near, 1);
    shape(shape);
  }

  /** Gives the link another shape, and counts frames from 0. */
  void shape(LinkShape shape) {
    there.shape(shape);
    back.shape(shape);
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
