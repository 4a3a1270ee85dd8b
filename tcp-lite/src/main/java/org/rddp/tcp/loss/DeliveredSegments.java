package org.rddp.tcp.loss;

/** The segments that one acknowledgment newly reports as delivered. */
final class DeliveredSegments {
  private static final long NONE = -1;

  private long latestSerial;
  private long latestSentAt;
  private boolean latestRetransmitted;
  private long sampledSerial;
  private long sampledAt;
  private boolean retransmittedAcknowledged;
  private long firstOriginalEnd;
  private long highestEnd;
  private long retransmittedOctets;
  private int longest;

  void clear() {
    retransmittedOctets = 0;
    longest = 0;
    latestSerial = NONE;
    sampledSerial = NONE;
    latestRetransmitted = false;
    retransmittedAcknowledged = false;
    firstOriginalEnd = Long.MAX_VALUE;
    highestEnd = NONE;
  }

  /** Adds a delivered segment. */
  void add(long serial, long sentAt, long end, int length, boolean repeated) {
    highestEnd = Math.max(highestEnd, end);
    longest = Math.max(longest, length);
    if (serial > latestSerial) {
      latestSerial = serial;
      latestSentAt = sentAt;
      latestRetransmitted = repeated;
    }
    if (repeated) {
      retransmittedOctets += length;
    } else {
      firstOriginalEnd = Math.min(firstOriginalEnd, end);
      if (serial > sampledSerial) {
        sampledSerial = serial;
        sampledAt = sentAt;
      }
    }
  }

  /** Records that a segment was acknowledged cumulatively. */
  void acknowledged(boolean repeated) {
    retransmittedAcknowledged |= repeated;
  }

  /** Whether there is any. */
  boolean any() {
    return latestSerial != NONE;
  }

  /** The serial of the delivered transmission that was sent last. */
  long latestSerial() {
    return latestSerial;
  }

  /** When that transmission was sent. */
  long latestSentAt() {
    return latestSentAt;
  }

  /** Whether that transmission was a retransmission. */
  boolean latestRetransmitted() {
    return latestRetransmitted;
  }

  /** The least end of a segment that was sent once; {@link Long#MAX_VALUE} if there is none. */
  long firstOriginalEnd() {
    return firstOriginalEnd;
  }

  /** The greatest end of a segment. */
  long highestEnd() {
    return highestEnd;
  }

  /** Octets of the longest segment, 0 if there is none. */
  int longest() {
    return longest;
  }

  /** Octets of the segments that were sent more than once. */
  long retransmittedOctets() {
    return retransmittedOctets;
  }

  /**
   * The round trip of the segment sent last, by Karn's algorithm: 0 if no segment was sent only
   * once, or if a retransmitted one was acknowledged as well, since the acknowledgment then had to
   * wait for that.
   */
  long roundTrip(long now) {
    return sampledSerial == NONE || retransmittedAcknowledged ? 0 : Math.max(now - sampledAt, 1);
  }
}
