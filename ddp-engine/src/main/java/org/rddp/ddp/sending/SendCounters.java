package org.rddp.ddp.sending;

/** Counters of what the streams of one engine have sent. Written by the engine's thread only. */
public final class SendCounters {
  long segments;
  long octets;

  /** Segments passed to MPA. */
  public long segments() {
    return segments;
  }

  /** Octets of payload in these segments. */
  public long octets() {
    return octets;
  }
}
