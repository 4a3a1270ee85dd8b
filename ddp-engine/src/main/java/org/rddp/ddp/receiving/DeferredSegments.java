package org.rddp.ddp.receiving;

import org.rddp.ddp.segment.SegmentHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;

/**
 * Segments that a {@link DdpReceiver} must still take, in the order sent: headers of segments that
 * were placed early, and segments held for want of a buffer.
 *
 * <p>If the bound for held segments is 0, none are held: a message without a buffer is an error.
 */
final class DeferredSegments {
  private final DdpReceiver receiver;
  private final EarlySegmentHeaders early;
  private final HeldSegments held;

  /** Stream position before which everything has been received. */
  private long deliveredUpTo;

  private boolean taking;

  DeferredSegments(DdpReceiver receiver, EarlySegmentHeaders early, HeldSegments held) {
    this.receiver = receiver;
    this.early = early;
    this.held = held;
  }

  /** Whether segments are held, so that the next one in order must be held too. */
  boolean holds() {
    return !held.isEmpty();
  }

  /** Octets of the held segments. */
  long heldOctets() {
    return held.octets();
  }

  /** Whether another segment may be placed early. */
  boolean hasRoomForEarly() {
    return early.hasRoom() && held.isEmpty();
  }

  /** Records a segment that has been placed early. */
  void addEarly(SegmentHeader header) {
    early.add(header);
  }

  /** Holds the next segment in order; false if there is no room for it. */
  boolean hold(Ulpdu segment) {
    return held.add(segment);
  }

  /**
   * Takes early segments before a position, up to which everything has been received, unless a
   * segment is held before them.
   */
  void deliver(long position) {
    deliveredUpTo = position;
    takeReady();
  }

  /** Takes all segments that can be taken now. */
  void takeReady() {
    if (!taking) {
      taking = true;
      try {
        boolean taken = true;
        while (taken) {
          taken = takeNext();
        }
      } finally {
        taking = false;
      }
    }
  }

  private boolean takeNext() {
    boolean earlyIsNext = early.before(deliveredUpTo, 0);
    if (!held.isEmpty() && !(earlyIsNext && early.get(0).position() < held.firstPosition())) {
      Ulpdu segment = held.first();
      boolean taken = receiver.takeHeld(segment);
      if (taken && !held.isEmpty()) {
        held.removeFirst();
      }
      return taken;
    }
    if (earlyIsNext) {
      takeEarly();
    }
    return earlyIsNext;
  }

  /** Takes the early segments that precede the first held one. */
  private void takeEarly() {
    long before = held.isEmpty() ? deliveredUpTo : Math.min(deliveredUpTo, held.firstPosition());
    int number = early.before(before);
    for (int i = 0; i < number && !early.isEmpty(); i++) {
      // Nothing is missing in the stream before this, so all delivery is in its order: DDP-5.3-06,
      // DDP-5.4-02, D03-5.1.2-04, and RDMAP-5.5-01: "in the order they were sent".
      // RDMAP-5.5-06, RDMAP-5.5-10: "Delivered to the ULP at the Remote Peer after they are
      // Delivered to RDMAP by DDP"; RDMAP-5.5-07, RDMAPX-5.4-01, RDMAPX-5.4-02: "until they have
      // been Delivered to RDMAP by DDP"
      receiver.takeEarly(early.get(i));
    }
    if (!early.isEmpty()) {
      early.removeFirst(number);
    }
  }

  /** Removes all segments. */
  void clear() {
    early.clear();
    held.clear();
  }

  /** Transfers the segments. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(DeferredSegments.class);
    deliveredUpTo = snapshot.number("deliveredUpTo", deliveredUpTo);
    early.transfer(snapshot);
    held.transfer(snapshot);
    snapshot.end();
  }
}
