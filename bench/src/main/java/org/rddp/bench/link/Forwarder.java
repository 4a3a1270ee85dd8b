package org.rddp.bench.link;

import java.util.function.LongSupplier;
import org.rddp.device.FrameDevice;
import org.rddp.device.FrameForwarder;
import org.rddp.simulation.ImpairedDevice;
import org.rddp.simulation.NetworkCounters;
import org.rddp.simulation.NetworkEvent;
import org.rddp.simulation.SegmentView;
import org.rddp.simulation.SimulatedWire;

/**
 * Carries frames between two devices of one pool, both ways, as a link does. Frames without TCP,
 * such as ARP's, are neither lost nor counted. For one thread.
 */
final class Forwarder {
  private final FrameDevice near;
  private final FrameDevice far;
  private final LongSupplier clock;
  private Direction there;
  private Direction back;

  /**
   * Joins two devices, which stay the caller's to close.
   *
   * @param clock the time in nanoseconds
   */
  Forwarder(FrameDevice near, FrameDevice far, LinkSettings settings, LongSupplier clock) {
    this.near = near;
    this.far = far;
    this.clock = clock;
    configure(settings);
  }

  /** Changes the link's settings, and counts frames from 0. Frames under way are lost. */
  void configure(LinkSettings settings) {
    if (there != null) {
      clear();
    }
    there = new Direction(near, far, settings, 0);
    back = new Direction(far, near, settings, 1);
  }

  /**
   * Receives frames, and transmits those that have crossed the link.
   *
   * @return how many frames were moved
   */
  int turn() {
    return there.turn() + back.turn();
  }

  /** Counts since the settings were changed. */
  LinkCounts counts() {
    return there.counts().plus(back.counts());
  }

  /** Releases the frames that wait to be transmitted. */
  void clear() {
    there.forwarder.clear();
    back.forwarder.clear();
  }

  /** One direction, which loses other frames than the other one. */
  private final class Direction {
    private final NetworkCounters counters;
    private final SimulatedWire wire;
    private final FrameForwarder forwarder;
    private long frames;

    Direction(FrameDevice from, FrameDevice to, LinkSettings settings, int number) {
      ImpairedDevice link =
          new ImpairedDevice(from, 2 * settings.seed() + number, settings.wire(), clock);
      counters = link.network().counters();
      wire = link.wire();
      link.network().addListener(this::onEvent);
      forwarder = new FrameForwarder(link, to);
    }

    private void onEvent(NetworkEvent event, long frame, int length, int detail) {
      if (event == NetworkEvent.SENT && SegmentView.isSegment(frame, length)) {
        frames++;
      }
    }

    int turn() {
      long before = counters.count(NetworkEvent.SENT);
      int crossed = forwarder.turn();
      return crossed + (int) (counters.count(NetworkEvent.SENT) - before);
    }

    LinkCounts counts() {
      return new LinkCounts(
          frames,
          counters.count(NetworkEvent.LOST),
          counters.count(NetworkEvent.OVERFLOWED),
          counters.count(NetworkEvent.MARKED),
          (double) wire.found() / Math.max(frames, 1),
          wire.longest());
    }
  }
}
