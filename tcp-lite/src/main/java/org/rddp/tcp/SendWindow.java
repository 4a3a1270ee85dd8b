package org.rddp.tcp;

/** The window that the peer offers: SND.WND, SND.WL1 and SND.WL2 of RFC 9293 section 3.3.1. */
final class SendWindow {
  private byte shift;
  private int octets;
  private int largest;

  /** The lower halves of positions: what they are compared with is never far away. */
  private int position = -1;

  private int acknowledgment = -1;

  /** The peer's SYN says how its windows are scaled from now on (RFC 7323 section 2.2). */
  void scale(int windowShift) {
    shift = (byte) windowShift;
  }

  /** The segment that acknowledges our SYN brings the first window; one in a SYN is not scaled. */
  void open(int field, boolean syn, long segmentPosition) {
    octets = field << (syn ? 0 : shift);
    largest = octets;
    position = (int) segmentPosition;
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
   * Takes the window of a segment, unless the segment is older than the last that changed it. A
   * segment that acknowledges more than any before is never old, even if its octets are (a
   * retransmission): the window counts from its acknowledgment, so that the one before would reach
   * further than the peer has ever said.
   *
   * @return whether the window is another now
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
}
