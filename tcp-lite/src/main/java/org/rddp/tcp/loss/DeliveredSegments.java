package org.rddp.tcp.loss;

/** What one acknowledgment tells of segments that the peer was not known to have. */
final class DeliveredSegments {
  private static final long NONE = -1;

  private long latestSerial;
  private long latestSentAt;
  private boolean latestRetransmitted;
  private long sampledSerial;
  private long sampledAt;
  private boolean retransmittedAcknowledged;
  private boolean anyAcknowledged;
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
    anyAcknowledged = false;
    firstOriginalEnd = Long.MAX_VALUE;
    highestEnd = NONE;
  }

  /** The peer has a segment. */
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

  /** A segment was acknowledged cumulatively. */
  void acknowledged(boolean repeated) {
    anyAcknowledged = true;
    retransmittedAcknowledged |= repeated;
  }

  /** Whether there is any. */
  boolean any() {
    return latestSerial != NONE;
  }

  /** The serial of the transmission that came last. */
  long latestSerial() {
    return latestSerial;
  }

  /** When that was sent. */
  long latestSentAt() {
    return latestSentAt;
  }

  /** Whether it was not the only transmission of its segment. */
  boolean latestRetransmitted() {
    return latestRetransmitted;
  }

  /** Where the segments end that were sent once, at the least; {@link Long#MAX_VALUE} if none. */
  long firstOriginalEnd() {
    return firstOriginalEnd;
  }

  /** Where all of them end. */
  long highestEnd() {
    return highestEnd;
  }

  /** Octets of the longest, 0 if there is none. */
  int longest() {
    return longest;
  }

  /** What those have together that were sent more than once. */
  long retransmittedOctets() {
    return retransmittedOctets;
  }

  /** Whether any segment was acknowledged cumulatively. */
  boolean anyAcknowledged() {
    return anyAcknowledged;
  }

  /**
   * The round trip of the segment sent last, by Karn's algorithm: 0 when there is none that was
   * sent once, or when one that was sent again was acknowledged too, for which the others waited.
   */
  long roundTrip(long now) {
    return sampledSerial == NONE || retransmittedAcknowledged ? 0 : Math.max(now - sampledAt, 1);
  }
}
