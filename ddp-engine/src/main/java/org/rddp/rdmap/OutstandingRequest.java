package org.rddp.rdmap;

/**
 * A read or an atomic without response: the destination of the response, and its progress. Reused.
 */
final class OutstandingRequest {
  private long number;
  private boolean atomic;

  /** Read: the sink. Atomic: the identifier. */
  private int name;

  /** Read: Tagged Offset of the next octet. Atomic: address for the value. */
  private long next;

  private long left;

  void beginRead(long number, int sinkStag, long sinkTo, long length) {
    this.number = number;
    atomic = false;
    name = sinkStag;
    next = sinkTo;
    left = length;
  }

  void beginAtomic(long number, int identifier, long address) {
    this.number = number;
    atomic = true;
    name = identifier;
    next = address;
    left = 0;
  }

  /** The request's number in the {@link RdmapSendQueue}. */
  long number() {
    return number;
  }

  /** Whether it is an atomic rather than a read. */
  boolean atomic() {
    return atomic;
  }

  /** Atomic: the identifier, which the response repeats. */
  int identifier() {
    return name;
  }

  /** Atomic: address for the value. */
  long address() {
    return next;
  }

  /**
   * Why a segment of a Read Response is refused, or null: it must continue at the next octet of the
   * requested range, and the last segment must complete it.
   */
  RdmapError refusal(int stag, long to, int octets, boolean last) {
    if (octets > 0) {
      if (stag != name) {
        return RdmapError.INVALID_STAG;
      }
      if (to != next || octets > left) {
        return RdmapError.BASE_OR_BOUNDS;
      }
    }
    return last && octets < left ? RdmapError.UNSPECIFIED : null;
  }

  /** Whether a range of octets is in the missing part of a read. */
  boolean awaits(int stag, long to, int octets) {
    long ahead = to - next;
    return !atomic && stag == name && octets <= left && ahead >= 0 && ahead <= left - octets;
  }

  /** Records a segment of the response. */
  void advance(int octets) {
    next += octets;
    left -= octets;
  }
}
