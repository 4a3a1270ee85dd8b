package org.rddp.ddp.receiving;

import org.rddp.ddp.segment.SegmentHeader;
import org.rddp.mpa.Ulpdu;

/**
 * What a {@link DdpReceiver} has yet to take, in the order of the peer: notes of segments that were
 * placed before their turn, and segments that wait for a buffer.
 *
 * <p>Without a bound for the latter nothing waits: a message without a buffer is an error.
 */
final class DeferredSegments {
  private final DdpReceiver receiver;
  private final EarlySegmentHeaders early = new EarlySegmentHeaders();
  private final HeldSegments held;

  /** Position before which early segments have their turn. */
  private long deliveredUpTo;

  private boolean taking;

  DeferredSegments(DdpReceiver receiver, int heldOctets) {
    this.receiver = receiver;
    held = new HeldSegments(heldOctets);
  }

  /** Whether a segment in its turn has to wait behind others. */
  boolean holds() {
    return !held.isEmpty();
  }

  /** Octets of the segments that wait for a buffer. */
  long heldOctets() {
    return held.octets();
  }

  /** Whether another segment may be placed before its turn. */
  boolean hasRoomForEarly() {
    return early.hasRoom() && held.isEmpty();
  }

  /** Notes a segment that has been placed before its turn. */
  void addEarly(SegmentHeader header) {
    early.add(header);
  }

  /** Keeps a segment whose turn it is; false if there is no room for it. */
  boolean hold(Ulpdu segment) {
    return held.add(segment);
  }

  /** Early segments before a position have their turn, as soon as nothing is held before them. */
  void deliver(long position) {
    deliveredUpTo = position;
    takeReady();
  }

  /** Takes what can be taken now. */
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

  /** Those that are before what is held, if anything is. */
  private void takeEarly() {
    long before = held.isEmpty() ? deliveredUpTo : Math.min(deliveredUpTo, held.firstPosition());
    int number = early.before(before);
    for (int i = 0; i < number && !early.isEmpty(); i++) {
      receiver.takeEarly(early.get(i));
    }
    if (!early.isEmpty()) {
      early.removeFirst(number);
    }
  }

  /** Forgets everything. */
  void clear() {
    early.clear();
    held.clear();
  }
}
