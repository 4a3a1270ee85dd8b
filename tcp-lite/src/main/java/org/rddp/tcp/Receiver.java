package org.rddp.tcp;

import org.rddp.tcp.storage.EarlyRanges;
import org.rddp.wire.SequenceNumber;

/**
 * The receiving half of a connection: what is expected next, what has come before its turn, the
 * window, and timestamps (RFC 9293 section 3.8.6, RFC 7323). {@link PayloadArrival} says what a
 * segment does to it.
 *
 * <p>Sequence numbers become 64-bit stream positions on the way in: the peer's SYN has position -1,
 * its first octet 0, its FIN the position behind the last octet.
 */
final class Receiver {
  private static final long NEVER = -1;
  private static final int COARSE = 30;

  /**
   * 2 to this many nanoseconds, 134 ms, lie between answers to empty segments outside of the
   * window: less than any timer for which a peer would send one.
   */
  private static final int ANSWER = 27;

  /** After so long a timestamp says nothing any more (RFC 7323 section 5.5). */
  private static final int OLDEST_TIMESTAMP = (int) ((24L * 24 * 3600 * 1_000_000_000L) >> COARSE);

  /** Ranges that a connection may hold out of order, at least. */
  private static final int FEWEST_RANGES = 256;

  private final TcpConnection connection;
  private int initialSequence;
  private long next = -1;
  private long consumed;
  private long rightEdge;
  private int capacity;
  private byte shift;
  private long finPosition = NEVER;
  private int recentTimestamp;

  /** When that was taken, in units of {@link #coarse} time. */
  private int recentTimestampAt;

  private long lastAcknowledged = -1;
  private int duplicateSequence;
  private int duplicateOctets;

  /** When an empty segment outside of the window was answered last, in units of that time. */
  private int answeredAt = -1;

  private boolean echoesCongestion;
  private boolean acknowledgeNow;
  private boolean acknowledgeLater;
  private long acknowledgeAt;
  private EarlyRanges early;

  Receiver(TcpConnection connection, int capacity) {
    this.connection = connection;
    this.capacity = capacity;
  }

  /** The smallest shift with which a window of that many octets fits into its field. */
  static int shiftFor(int octets) {
    int shift = 0;
    while (octets >>> shift > 0xffff) {
      shift++;
    }
    return shift;
  }

  /** The peer's SYN has come. */
  void open(int sequence, boolean scaled) {
    initialSequence = sequence;
    next = 0;
    shift = (byte) (scaled ? shiftFor(capacity) : 0);
    if (!scaled) {
      capacity = Math.min(capacity, 0xffff);
    }
    rightEdge = Math.min(capacity, 0xffff);
  }

  /** RCV.NXT as a sequence number, for the acknowledgment field. */
  int acknowledgment() {
    return sequence(next);
  }

  /** The sequence number of a stream position. */
  int sequence(long position) {
    return initialSequence + 1 + (int) position;
  }

  /** The stream position that a sequence number near the window means. */
  long position(int sequence) {
    return next + SequenceNumber.distance(acknowledgment(), sequence);
  }

  /** RCV.NXT: the position expected next. */
  long next() {
    return next;
  }

  /** Whether an acknowledgment is owed to the peer, now or a little later. */
  boolean acknowledgmentPending() {
    return acknowledgeNow || acknowledgeLater;
  }

  /** Whether an acknowledgment is owed to the peer now. */
  boolean acknowledgmentDue() {
    return acknowledgeNow || (acknowledgeLater && connection.now() >= acknowledgeAt);
  }

  void requestAcknowledgment() {
    acknowledgeNow = true;
  }

  /**
   * Whether an empty segment that is outside of the window, or too old, is answered. Two ends that
   * disagree about where they are would answer each other's answers without end (RFC 5961 section 7
   * bounds only some of them).
   */
  boolean mayAnswer() {
    int now = (int) (connection.now() >> ANSWER);
    boolean first = now != answeredAt;
    answeredAt = now;
    return first;
  }

  /** TSval of the segment to be echoed, TS.Recent. */
  int recentTimestamp() {
    return recentTimestamp;
  }

  /**
   * A segment that carries the acknowledgment is being sent.
   *
   * @param selectively whether it carries SACK blocks, and so what came twice; what did not fit
   *     into a segment with data stays owed
   */
  void acknowledged(boolean selectively) {
    acknowledgeNow = duplicateOctets > 0 && !selectively;
    acknowledgeLater = false;
    lastAcknowledged = next;
    if (selectively) {
      duplicateOctets = 0;
    }
  }

  /** Octets have come that had come before: the next SACK option says so. */
  void duplicate(long from, long to) {
    duplicateSequence = sequence(from);
    duplicateOctets = (int) (to - from);
  }

  /** The sequence number of the first octet that came twice. */
  int duplicateSequence() {
    return duplicateSequence;
  }

  /** Octets that came twice and that the peer has not been told of. */
  int duplicateOctets() {
    return duplicateOctets;
  }

  /** A segment with data says what the network and the peer know of congestion (RFC 3168 6.1.3). */
  void congestion(boolean reduced, boolean experienced) {
    if (reduced) {
      echoesCongestion = false;
    }
    if (experienced) {
      echoesCongestion = true;
      acknowledgeNow = true;
    }
  }

  /** Whether acknowledgments carry ECE: a packet has met congestion, and no CWR has come since. */
  boolean echoesCongestion() {
    return echoesCongestion;
  }

  /** The window field of a SYN: never scaled. */
  int unscaledWindow() {
    return Math.min(capacity, 0xffff);
  }

  /**
   * The window field of a segment being sent. The right edge moves only if it is worth it (RFC 9293
   * section 3.8.6.2.2), and never back, also where the scaling rounds (RFC 7323 section 2.4).
   */
  int window() {
    long promise = possibleAdvance() < leastAdvance() ? rightEdge : possibleAdvance() + rightEdge;
    int field = (int) Math.min((promise - next) >> shift, 0xffff);
    if (next + ((long) field << shift) < rightEdge && field < 0xffff) {
      field++;
    }
    rightEdge = Math.max(rightEdge, next + ((long) field << shift));
    return field;
  }

  /** How far the right edge could move: what is done with counts up to the left edge. */
  private long possibleAdvance() {
    return Math.min(consumed, next) + capacity - rightEdge;
  }

  private int leastAdvance() {
    return Math.min(capacity / 2, connection.emss());
  }

  /** The user is done with octets; an update is owed when it opens the window noticeably. */
  void consume(int octets) {
    consumed = Math.min(consumed + octets, next + (early == null ? 0 : early.octets()));
    if (possibleAdvance() >= Math.min(capacity / 2, 2L * connection.emss())) {
      acknowledgeNow = true;
    }
  }

  /**
   * Whether a segment lies in the window (RFC 9293 section 3.10.7.4, first check), where a segment
   * at its very edge counts: a peer that has filled the window still sends acknowledgments.
   */
  boolean acceptable(long position, int length) {
    if (length == 0) {
      return position >= next && position <= Math.max(rightEdge, next);
    }
    return position + length > next
        && (position < rightEdge || (position == next && rightEdge == next));
  }

  /** The time in units of about a second, which fits where nanoseconds do not. */
  private int coarse() {
    return (int) (connection.now() >> COARSE);
  }

  /** Whether PAWS refuses the timestamp (RFC 7323 section 5.3). */
  boolean old(int timestamp) {
    return SequenceNumber.before(timestamp, recentTimestamp)
        && coarse() - recentTimestampAt < OLDEST_TIMESTAMP;
  }

  /** Takes the timestamp to be echoed from a segment (RFC 7323 section 4.3). */
  void timestamp(int timestamp, long position) {
    if (position <= lastAcknowledged && !SequenceNumber.before(timestamp, recentTimestamp)) {
      recentTimestamp = timestamp;
      recentTimestampAt = coarse();
    }
  }

  /** Starts with the timestamp of the peer's SYN. */
  void firstTimestamp(int timestamp) {
    recentTimestamp = timestamp;
    recentTimestampAt = coarse();
  }

  /**
   * The peer's FIN says where its octets end. One that lies beyond the window is not believed yet,
   * and one before octets that have come contradicts them: those have been handed up.
   */
  void fin(long position) {
    boolean last = early == null || early.end(early.count() - 1) <= position;
    if (finPosition == NEVER && position <= rightEdge && last) {
      finPosition = position;
    }
  }

  /** The position behind the last octet that is taken: the right edge, or where the FIN is. */
  long limit() {
    return finPosition == NEVER ? rightEdge : Math.min(rightEdge, finPosition);
  }

  /** Whether the peer's FIN, which may not have had its turn, is at that position. */
  boolean finAt(long position) {
    return finPosition == position;
  }

  /** Octets in order are about to be handed up. */
  void advance(long position) {
    next = position;
  }

  /** What has come before its turn, null for nothing. */
  EarlyRanges early() {
    return early;
  }

  /**
   * Notes octets that came before their turn, none of which is here.
   *
   * @return false when there is no room to note them, or no packet may be kept for them
   */
  boolean keepEarly(long from, long to) {
    int kept = early == null ? 0 : early.packets();
    if (!connection.mayKeepEarly(kept)) {
      return false;
    }
    if (early == null) {
      early = connection.earlyRanges().acquire();
    }
    int most = Math.max(2 * capacity / connection.emss(), FEWEST_RANGES);
    boolean added = early.add(from, to, most);
    if (added) {
      connection.keepsEarly(1);
    }
    return added;
  }

  /**
   * Closes the gap before the first early range if nothing is missing before it any more.
   *
   * @return whether it has moved the left edge
   */
  boolean closeGap() {
    if (early == null || early.start(0) > next) {
      return false;
    }
    next = early.end(0);
    connection.keepsEarly(-early.removeFirst());
    if (early.isEmpty()) {
      giveBackRanges();
    }
    return true;
  }

  private void giveBackRanges() {
    connection.earlyRanges().release(early);
    early = null;
  }

  /**
   * An acknowledgment is owed for a segment: at once for every second one, and for whatever tells
   * the peer of loss (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2).
   */
  void scheduleAcknowledgment(boolean inOrder) {
    long delay = connection.acknowledgmentDelay();
    if (delay == 0 || acknowledgmentPending() || early != null || !inOrder) {
      acknowledgeNow = true;
    } else {
      acknowledgeLater = true;
      acknowledgeAt = connection.now() + delay;
    }
  }

  /** Whether everything up to the peer's FIN has come; true once, the FIN counts then. */
  boolean finReached() {
    if (finPosition == NEVER || next != finPosition) {
      return false;
    }
    next++;
    consumed = next;
    acknowledgeNow = true;
    clear();
    return true;
  }

  /** Loads what every segment touches, from end to end; what it returns means nothing. */
  int prefetch() {
    return (int) next + capacity + (acknowledgeNow ? 1 : 0) + (early == null ? 1 : 0);
  }

  /** Forgets what came before its turn. */
  void clear() {
    if (early != null) {
      connection.keepsEarly(-early.packets());
      giveBackRanges();
    }
  }
}
