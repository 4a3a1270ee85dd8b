package org.rddp.bench.link;

import org.rddp.device.FrameDevice;

/** Carries frames between two devices, both ways, as a link does. For one thread. */
final class Forwarder {
  private final LinkDirection there;
  private final LinkDirection back;

  /** Joins two devices, which stay the caller's to close. */
  Forwarder(FrameDevice near, FrameDevice far, LinkSettings settings) {
    there = new LinkDirection(near, far, 0);
    back = new LinkDirection(far, near, 1);
    configure(settings);
  }

  /** Changes the link's settings, and counts frames from 0. */
  void configure(LinkSettings settings) {
    there.configure(settings);
    back.configure(settings);
  }

  /**
   * Receives frames, and transmits those that have crossed the link.
   *
   * @return how many frames were moved
   */
  int turn(long now) {
    return there.turn(now) + back.turn(now);
  }

  /** Counts since the settings were changed. */
  LinkCounts counts() {
    return there.counts().plus(back.counts());
  }

  void clear() {
    there.clear();
    back.clear();
  }
}
