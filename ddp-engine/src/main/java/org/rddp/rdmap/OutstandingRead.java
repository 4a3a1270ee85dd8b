package org.rddp.rdmap;

/** A read of ours: where its answer goes, and how much of it has come. Reused. */
final class OutstandingRead {
  private long number;
  private int sinkStag;
  private long nextTo;
  private long left;

  void begin(long number, int sinkStag, long sinkTo, long length) {
    this.number = number;
    this.sinkStag = sinkStag;
    this.nextTo = sinkTo;
    this.left = length;
  }

  /** The request's number in the {@link SendQueue}. */
  long number() {
    return number;
  }

  /**
   * What is wrong with a segment of an answer, or null: it is to go where the request said, without
   * a gap, and end when all has come.
   */
  RdmapError refusal(int stag, long to, int octets, boolean last) {
    if (octets > 0) {
      if (stag != sinkStag) {
        return RdmapError.INVALID_STAG;
      }
      if (to != nextTo || octets > left) {
        return RdmapError.BASE_OR_BOUNDS;
      }
    }
    return last && octets < left ? RdmapError.UNSPECIFIED : null;
  }

  /** Whether octets lie in what is still to come. */
  boolean awaits(int stag, long to, int octets) {
    return stag == sinkStag && octets <= left && to - nextTo >= 0 && to - nextTo <= left - octets;
  }

  /** A segment of the answer is being placed. */
  void advance(int octets) {
    nextTo += octets;
    left -= octets;
  }
}
