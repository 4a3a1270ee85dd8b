package org.rddp.tcp;

import org.rddp.snapshot.Snapshot;

/** The window of the peer: SND.WND, SND.WL1 and SND.WL2 of RFC 9293 section 3.3.1. */
final class SendWindow {
  private byte shift;
  private int octets;
  private int largest;

  /** The lower half of a stream position, which suffices to compare it with near ones. */
  private int position = -1;

  private int acknowledgment = -1;

  /** Sets the scale of the peer's windows from its SYN (RFC 7323 section 2.2). */
  void scale(int windowShift) {
    shift = (byte) windowShift;
  }

  /**
   * Takes the first window, from the segment that acknowledges our SYN; the window of a SYN is not
   * scaled.
   */
  void open(int field, boolean syn, long segmentPosition) {
    octets = field << (syn ? 0 : shift);
    largest = octets;
    position = (int) segmentPosition;
    acknowledgment = 0;
  }

  /** The scale of the peer's windows. */
  int shift() {
    return shift;
  }

  /** Octets of the window, from the peer's acknowledgment on. */
  long octets() {
    return octets;
  }

  /** The largest window so far, an estimate of the peer's buffer. */
  long largest() {
    return largest;
  }

  /**
   * Takes the window of a segment, unless the segment is older than the last one that changed the
   * window. A segment that acknowledges more than any before is never old, even if it is a
   * retransmission: the window counts from its acknowledgment, and the former window would reach
   * further than the peer has offered.
   *
   * @return whether the window has changed
   */
  boolean update(int field, long segmentPosition, long ack) {
    int later = (int) segmentPosition - position;
    int more = (int) ack - acknowledgment;
    if (more < 0 ? later <= 0 : more == 0 && later < 0) {
      return false;
    }
    int before = octets;
    octets = field << shift;
    largest = Math.max(largest, octets);
    position += Math.max(later, 0);
    acknowledgment = (int) ack;
    return octets != before;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SendWindow.class);
    shift = snapshot.number("shift", shift);
    octets = snapshot.number("octets", octets);
    largest = snapshot.number("largest", largest);
    position = snapshot.number("position", position);
    acknowledgment = snapshot.number("acknowledgment", acknowledgment);
    snapshot.end();
  }
}
