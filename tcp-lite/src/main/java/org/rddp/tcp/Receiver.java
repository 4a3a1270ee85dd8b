package org.rddp.tcp;

import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.storage.EarlyRanges;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.TcpOptions;

/**
 * The receiving half of a connection: the next expected octet, ranges received out of order, the
 * window, timestamps, and pending acknowledgments (RFC 9293 section 3.8.6, RFC 7323). {@link
 * PayloadArrival} processes the payload.
 *
 * <p>Sequence numbers are converted to 64-bit stream positions: the peer's SYN has position -1, its
 * first octet 0, its FIN the position behind the last octet.
 */
final class Receiver {
  private static final long NEVER = -1;
  private static final int COARSE = 30;

  /**
   * Binary logarithm of the nanoseconds, 134 ms, between answers to empty segments outside of the
   * window: less than any timer by which a peer sends them.
   */
  private static final int ANSWER = 27;

  /** The age at which TS.Recent becomes invalid (RFC 7323 section 5.5). */
  private static final int OLDEST_TIMESTAMP = (int) ((24L * 24 * 3600 * 1_000_000_000L) >> COARSE);

  /** Least limit of ranges received out of order. */
  private static final int FEWEST_RANGES = 256;

  private final TcpConnection connection;

  /** Packets with in-order octets that the user keeps. */
  int kept;

  private int initialSequence;
  private long next = -1;
  private long consumed;
  private long rightEdge;
  private int capacity;
  private byte shift;
  private long finPosition = NEVER;
  private int recentTimestamp;

  /** When {@link #recentTimestamp} was set, in {@link #coarse} time. */
  private int recentTimestampAt;

  private long lastAcknowledged = -1;
  private int duplicateSequence;
  private int duplicateOctets;

  /** When an empty segment outside of the window was last answered, in units of 134 ms. */
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

  /** Opens the receiving half with the peer's SYN. */
  void open(int sequence, boolean scaled) {
    initialSequence = sequence;
    next = 0;
    shift = (byte) (scaled ? TcpOptions.windowShift(capacity) : 0);
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

  /** The stream position of a sequence number near the window. */
  long position(int sequence) {
    return next + SequenceNumber.distance(acknowledgment(), sequence); // MPA-4.3-06
  }

  /** RCV.NXT: the position expected next. */
  long next() {
    return next;
  }

  /** Octets that the peer may still send: the window that it was last told. */
  long remainingWindow() {
    return Math.max(rightEdge - Math.max(next, 0), 0);
  }

  /** Whether an acknowledgment has to be sent, now or after the acknowledgment delay. */
  boolean acknowledgmentPending() {
    return acknowledgeNow || acknowledgeLater;
  }

  /** Whether an acknowledgment has to be sent now. */
  boolean acknowledgmentDue() {
    return acknowledgeNow || (acknowledgeLater && connection.context.now >= acknowledgeAt);
  }

  void requestAcknowledgment() {
    acknowledgeNow = true;
  }

  /**
   * Whether an empty segment outside of the window, or with an old timestamp, may be answered now.
   * Without a limit two ends that disagree about their sequence numbers would answer each other's
   * answers forever (RFC 5961 section 7 limits only some of them).
   */
  boolean mayAnswer() {
    int now = (int) (connection.context.now >> ANSWER);
    boolean first = now != answeredAt;
    answeredAt = now;
    return first;
  }

  /** TSval of the segment to be echoed, TS.Recent. */
  int recentTimestamp() {
    return recentTimestamp;
  }

  /**
   * Records that a segment with the acknowledgment is being sent.
   *
   * @param selectively whether it carries SACK blocks; if not, a duplicate remains to be reported
   */
  void acknowledged(boolean selectively) {
    acknowledgeNow = duplicateOctets > 0 && !selectively;
    acknowledgeLater = false;
    lastAcknowledged = next;
    if (selectively) {
      duplicateOctets = 0;
    }
  }

  /** Records octets received twice, for the next SACK option to report. */
  void duplicate(long from, long to) {
    duplicateSequence = sequence(from);
    duplicateOctets = (int) (to - from);
  }

  /** The sequence number of the first octet received twice. */
  int duplicateSequence() {
    return duplicateSequence;
  }

  /** Octets received twice and not reported to the peer yet. */
  int duplicateOctets() {
    return duplicateOctets;
  }

  /**
   * Processes the ECN signals of a segment with data (RFC 3168 section 6.1.3).
   *
   * @param reduced whether the peer has reduced its window (CWR)
   * @param experienced whether the packet has met congestion (CE)
   */
  void congestion(boolean reduced, boolean experienced) {
    if (reduced) {
      echoesCongestion = false;
    }
    if (experienced) {
      echoesCongestion = true;
      acknowledgeNow = true;
    }
  }

  /** Begins or ends to echo congestion, at once: DCTCP.CE of RFC 8257 section 3.2. */
  void congestionChanged() {
    echoesCongestion = !echoesCongestion;
    acknowledgeNow = true;
  }

  /** Whether acknowledgments carry ECE: from a packet with CE until CWR arrives. */
  boolean echoesCongestion() {
    return echoesCongestion;
  }

  /** The shift of our windows. */
  int windowShift() {
    return shift;
  }

  /** The window field of a SYN: never scaled. */
  int unscaledWindow() {
    return Math.min(capacity, 0xffff);
  }

  /**
   * The window field of a segment being sent. The right edge moves only by a useful amount (RFC
   * 9293 section 3.8.6.2.2) and never back, even if the scale rounds down (RFC 7323 section 2.4).
   */
  int window() {
    long promise = possibleAdvance() < leastAdvance() ? rightEdge : possibleAdvance() + rightEdge;
    int field = (int) Math.min((promise - next) >> shift, 0xffff);
    if (next + ((long) field << shift) < rightEdge && field < 0xffff) {
      field++;
    }
    rightEdge = Math.max(rightEdge, next + ((long) field << shift)); // DDP-A-04
    return field;
  }

  /** How far the right edge could move: consumed octets count up to the left edge. */
  private long possibleAdvance() {
    return Math.min(consumed, next) + capacity - rightEdge; // DDP-A-01, DDP-A-03
  }

  private int leastAdvance() {
    return Math.min(capacity / 2, connection.sender.emss());
  }

  /**
   * Opens the window after the user has consumed octets; requests a window update if it would be
   * significant.
   */
  void consume(int octets) {
    consumed = Math.min(consumed + octets, next + (early == null ? 0 : early.octets()));
    if (possibleAdvance() >= Math.min(capacity / 2, 2L * connection.sender.emss())) {
      acknowledgeNow = true;
    }
  }

  /**
   * Whether a segment lies in the window (RFC 9293 section 3.10.7.4, first check). An empty segment
   * may lie at the right edge: a peer that has filled the window still sends acknowledgments.
   */
  boolean acceptable(long position, int length) {
    if (length == 0) {
      return position >= next && position <= Math.max(rightEdge, next);
    }
    return position + length > next
        && (position < rightEdge || (position == next && rightEdge == next));
  }

  /** The time in units of about a second, so that it fits an int. */
  private int coarse() {
    return (int) (connection.context.now >> COARSE);
  }

  /** Whether PAWS rejects the timestamp (RFC 7323 section 5.3). */
  boolean old(int timestamp) {
    return SequenceNumber.before(timestamp, recentTimestamp)
        && coarse() - recentTimestampAt < OLDEST_TIMESTAMP;
  }

  /** Updates the timestamp to be echoed (RFC 7323 section 4.3). */
  void timestamp(int timestamp, long position) {
    if (position <= lastAcknowledged && !SequenceNumber.before(timestamp, recentTimestamp)) {
      recentTimestamp = timestamp;
      recentTimestampAt = coarse();
    }
  }

  /** Takes the timestamp of the peer's SYN. */
  void firstTimestamp(int timestamp) {
    recentTimestamp = timestamp;
    recentTimestampAt = coarse();
  }

  /**
   * Takes the position of the peer's FIN. It is ignored beyond the window, and before octets
   * already received, which have been handed up.
   */
  void fin(long position) {
    boolean last = early == null || early.end(early.count() - 1) <= position;
    if (finPosition == NEVER && position <= rightEdge && last) {
      finPosition = position;
    }
  }

  /** The position behind the last acceptable octet: the right edge, or the FIN. */
  long limit() {
    return finPosition == NEVER ? rightEdge : Math.min(rightEdge, finPosition);
  }

  /** Whether the peer's FIN, in order or not, is at that position. */
  boolean finAt(long position) {
    return finPosition == position;
  }

  /** Moves the left edge before octets in order are handed up. */
  void advance(long position) {
    next = position;
  }

  /** Ranges received out of order, or null. */
  EarlyRanges early() {
    return early;
  }

  /**
   * Adds octets received out of order and not before.
   *
   * @param weight number of packets that their packet counts for
   * @return false if there are too many ranges, or no other packet may be kept
   */
  boolean keepEarly(long from, long to, int weight) {
    int kept = early == null ? 0 : early.packets();
    if (!connection.mayKeepEarly(kept)) {
      return false;
    }
    if (early == null) {
      early = connection.context.earlyRanges.acquire();
    }
    int most = Math.max(2 * capacity / connection.sender.emss(), FEWEST_RANGES);
    boolean added = early.add(from, to, weight, most);
    if (added) {
      connection.keepsEarly(weight);
    }
    return added;
  }

  /**
   * Removes the first early range if the left edge has reached it.
   *
   * @return whether the left edge has moved
   */
  boolean closeGap() {
    if (early == null || early.start(0) > next) {
      return false;
    }
    next = early.end(0);
    connection.keepsEarly(-early.takeFirst());
    if (early.isEmpty()) {
      releaseRanges();
    }
    return true;
  }

  private void releaseRanges() {
    connection.context.earlyRanges.release(early);
    early = null;
  }

  /**
   * Schedules the acknowledgment of a segment: at once for every second segment, for one as long as
   * several, and for one that shows or closes a gap (RFC 9293 section 3.8.6.3, RFC 5681 section
   * 4.2).
   */
  void scheduleAcknowledgment(boolean inOrder, int length) {
    long delay = connection.context.settings.acknowledgmentDelay();
    boolean several = length > connection.sender.emss();
    if (delay == 0 || acknowledgmentPending() || several || early != null || !inOrder) {
      acknowledgeNow = true;
    } else {
      acknowledgeLater = true;
      acknowledgeAt = connection.context.now + delay;
    }
  }

  /**
   * Moves the left edge past the peer's FIN if everything before it has been received; returns true
   * once.
   */
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

  /**
   * Touches the cache lines that a segment needs; the result only keeps the JIT from removing the
   * loads.
   */
  int prefetch() {
    return (int) next + capacity + (acknowledgeNow ? 1 : 0) + (early == null ? 1 : 0);
  }

  /** Forgets the ranges received out of order. */
  void clear() {
    if (early != null) {
      connection.keepsEarly(-early.packets());
      releaseRanges();
    }
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(Receiver.class);
    initialSequence = snapshot.number("initialSequence", initialSequence);
    next = snapshot.number("next", next);
    consumed = snapshot.number("consumed", consumed);
    rightEdge = snapshot.number("rightEdge", rightEdge);
    capacity = snapshot.number("capacity", capacity);
    shift = snapshot.number("shift", shift);
    finPosition = snapshot.number("finPosition", finPosition);
    recentTimestamp = snapshot.number("recentTimestamp", recentTimestamp);
    recentTimestampAt = snapshot.number("recentTimestampAt", recentTimestampAt);
    lastAcknowledged = snapshot.number("lastAcknowledged", lastAcknowledged);
    duplicateSequence = snapshot.number("duplicateSequence", duplicateSequence);
    duplicateOctets = snapshot.number("duplicateOctets", duplicateOctets);
    answeredAt = snapshot.number("answeredAt", answeredAt);
    echoesCongestion = snapshot.flag("echoesCongestion", echoesCongestion);
    acknowledgeNow = snapshot.flag("acknowledgeNow", acknowledgeNow);
    acknowledgeLater = snapshot.flag("acknowledgeLater", acknowledgeLater);
    acknowledgeAt = snapshot.number("acknowledgeAt", acknowledgeAt);
    if (snapshot.flag("early", early != null)) {
      early = early == null ? connection.context.earlyRanges.acquire() : early;
      early.transfer(snapshot);
    }
    if (snapshot.reads() && early != null) {
      connection.keepsEarly(early.packets());
    }
    snapshot.end();
  }
}
