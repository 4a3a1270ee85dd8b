package org.rddp.tcp;

/** The window that the peer offers: SND.WND, SND.WL1 and SND.WL2 of RFC 9293 section 3.3.1. */
final class SendWindow {
  private int shift;
  private long octets;
  private long largest;
  private long position = -1;
  private long acknowledgment = -1;

  /** The peer's SYN says how its windows are scaled from now on (RFC 7323 section 2.2). */
  void scale(int windowShift) {
    shift = windowShift;
  }

  /** The segment that acknowledges our SYN brings the first window; one in a SYN is not scaled. */
  void open(int field, boolean syn, long segmentPosition) {
    octets = (long) field << (syn ? 0 : shift);
    largest = octets;
    position = segmentPosition;
    acknowledgment = 0;
  }

  /** Octets that the peer has room for, from its acknowledgment on. */
  long octets() {
    return octets;
  }

  /** The largest window that the peer has offered, an estimate of its buffer. */
  long largest() {
    return largest;
  }

  /**
   * Takes the window of a segment, unless the segment is older than the last that changed it.
   *
   * @return whether the window is another now
   */
  boolean update(int field, long segmentPosition, long ack) {
    if (segmentPosition < position || (segmentPosition == position && ack < acknowledgment)) {
      return false;
    }
    long before = octets;
    octets = (long) field << shift;
    largest = Math.max(largest, octets);
    position = segmentPosition;
    acknowledgment = ack;
    return octets != before;
  }
}
