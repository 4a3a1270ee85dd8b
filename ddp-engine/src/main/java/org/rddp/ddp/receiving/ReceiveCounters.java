package org.rddp.ddp.receiving;

/**
 * Counters of what the streams of one engine have received. Written by the engine's thread only.
 */
public final class ReceiveCounters {
  long segmentsPlaced;
  long octetsPlaced;
  long segmentsPlacedEarly;
  long segmentsHeld;
  long taggedMessagesDelivered;
  long untaggedMessagesDelivered;
  long segmentsRefused;
  long segmentsDropped;

  /** Segments received and accepted. */
  public long segmentsPlaced() {
    return segmentsPlaced;
  }

  /** Octets of payload in these segments. */
  public long octetsPlaced() {
    return octetsPlaced;
  }

  /**
   * Segments placed early; each is also counted in {@link #segmentsPlaced()} once everything before
   * it has been received.
   */
  public long segmentsPlacedEarly() {
    return segmentsPlacedEarly;
  }

  /** Segments held for want of a buffer. */
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

  /** Segments refused; each ends reception on its stream. */
  public long segmentsRefused() {
    return segmentsRefused;
  }

  /** Segments dropped silently because they came after a refused one. */
  public long segmentsDropped() {
    return segmentsDropped;
  }
}
