package org.rddp.ddp;

/**
 * What the streams of one engine have done, since it started. Written by the engine's thread alone;
 * another thread reads somewhat older values.
 */
public final class DdpCounters {
  public long segmentsSent;
  public long octetsSent;
  public long segmentsPlaced;
  public long octetsPlaced;
  public long segmentsPlacedEarly;
  public long segmentsHeld;
  public long taggedMessagesDelivered;
  public long untaggedMessagesDelivered;
  long segmentsRefused;
  public long segmentsDropped;

  DdpCounters() {}

  /** Segments handed to MPA. */
  public long segmentsSent() {
    return segmentsSent;
  }

  /** Octets of payload in them. */
  public long octetsSent() {
    return octetsSent;
  }

  /** Segments received and found good. */
  public long segmentsPlaced() {
    return segmentsPlaced;
  }

  /** Octets of payload in them. */
  public long octetsPlaced() {
    return octetsPlaced;
  }

  /** Segments that have been placed before their turn; {@link #segmentsPlaced()} follows then. */
  public long segmentsPlacedEarly() {
    return segmentsPlacedEarly;
  }

  /** Segments that had to wait for a buffer. */
  public long segmentsHeld() {
    return segmentsHeld;
  }

  /** Tagged Messages Delivered. */
  public long taggedMessagesDelivered() {
    return taggedMessagesDelivered;
  }

  /** Untagged Messages Delivered. */
  public long untaggedMessagesDelivered() {
    return untaggedMessagesDelivered;
  }

  /** Segments that ended the reception of a stream. */
  public long segmentsRefused() {
    return segmentsRefused;
  }

  /** Segments dropped without a word because they came after such a one. */
  public long segmentsDropped() {
    return segmentsDropped;
  }
}
