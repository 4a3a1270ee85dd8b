package org.rddp.tcp;

import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;

/**
 * The receiving half of a connection: what is expected next, the window, the order of octets, and
 * timestamps (RFC 9293 section 3.8.6, RFC 7323).
 *
 * <p>Sequence numbers become 64-bit stream positions on the way in: the peer's SYN has position -1,
 * its first octet 0, its FIN the position behind the last octet.
 */
final class Receiver {
  private static final long NEVER = -1;

  /** After so long a timestamp says nothing any more (RFC 7323 section 5.5). */
  private static final long OLDEST_TIMESTAMP = 24L * 24 * 3600 * 1_000_000_000L;

  /** Ranges that a connection may hold out of order, at least. */
  private static final int FEWEST_RANGES = 256;

  private final TcpConnection connection;
  private int initialSequence;
  private long next = -1;
  private long consumed;
  private long edge;
  private int capacity;
  private int shift;
  private long finPosition = NEVER;
  private int recentTimestamp;
  private long recentTimestampAt;
  private long lastAcknowledged = -1;
  private boolean owed;
  private boolean owedLater;
  private long owedAt;
  private ReceiveQueue early;

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
    shift = scaled ? shiftFor(capacity) : 0;
    if (!scaled) {
      capacity = Math.min(capacity, 0xffff);
    }
    edge = Math.min(capacity, 0xffff);
  }

  /** RCV.NXT as a sequence number, for the acknowledgment field. */
  int acknowledgment() {
    return initialSequence + 1 + (int) next;
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
  boolean owes() {
    return owed || owedLater;
  }

  /** Whether an acknowledgment is owed to the peer now. */
  boolean owed() {
    return owed || (owedLater && connection.now() >= owedAt);
  }

  void owe() {
    owed = true;
  }

  /** TSval of the segment to be echoed, TS.Recent. */
  int recentTimestamp() {
    return recentTimestamp;
  }

  /** A segment that carries the acknowledgment is being sent. */
  void acknowledged() {
    owed = false;
    owedLater = false;
    lastAcknowledged = next;
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
    long promise = promisable() < worthwhile() ? edge : consumed + capacity;
    int field = (int) Math.min((promise - next) >> shift, 0xffff);
    if (next + ((long) field << shift) < edge && field < 0xffff) {
      field++;
    }
    edge = Math.max(edge, next + ((long) field << shift));
    return field;
  }

  private long promisable() {
    return consumed + capacity - edge;
  }

  private int worthwhile() {
    return Math.min(capacity / 2, connection.emss());
  }

  /** The user is done with octets; an update is owed when it opens the window noticeably. */
  void consume(int octets) {
    consumed = Math.min(consumed + octets, next);
    if (promisable() >= Math.min(capacity / 2, 2L * connection.emss())) {
      owed = true;
    }
  }

  /**
   * Whether a segment lies in the window (RFC 9293 section 3.10.7.4, first check), where a segment
   * at its very edge counts: a peer that has filled the window still sends acknowledgments.
   */
  boolean acceptable(long position, int length) {
    if (length == 0) {
      return position >= next && position <= Math.max(edge, next);
    }
    return position + length > next && (position < edge || (position == next && edge == next));
  }

  /** Whether PAWS refuses the timestamp (RFC 7323 section 5.3). */
  boolean old(int timestamp) {
    return SequenceNumber.before(timestamp, recentTimestamp)
        && connection.now() - recentTimestampAt < OLDEST_TIMESTAMP;
  }

  /** Takes the timestamp to be echoed from a segment (RFC 7323 section 4.3). */
  void timestamp(int timestamp, long position) {
    if (position <= lastAcknowledged && !SequenceNumber.before(timestamp, recentTimestamp)) {
      recentTimestamp = timestamp;
      recentTimestampAt = connection.now();
    }
  }

  /** Starts with the timestamp of the peer's SYN. */
  void firstTimestamp(int timestamp) {
    recentTimestamp = timestamp;
    recentTimestampAt = connection.now();
  }

  /** Handles the payload and the FIN of an acceptable segment. */
  void arrived(Segment segment, long position) {
    if (segment.has(Tcp.FIN) && finPosition == NEVER) {
      finPosition = position + segment.length;
    }
    if (segment.length > 0) {
      payload(segment, position);
    } else {
      owed = true;
    }
  }

  private void payload(Segment segment, long position) {
    TcpCounters counters = connection.counters();
    long from = Math.max(position, next);
    long to = Math.min(position + segment.length, edge);
    if (finPosition != NEVER) {
      to = Math.min(to, finPosition);
    }
    oweFor(from == position && from == next && from < to);
    if (from > position) {
      counters.duplicates++;
    }
    if (from >= to) {
      return;
    }
    long address = segment.payload + (from - position);
    if (from > next) {
      hold(from, address, (int) (to - from), segment.packet);
      connection.acknowledgeNow();
      return;
    }
    deliver(address, (int) (to - from), segment.packet);
    deliverEarly();
  }

  /**
   * An acknowledgment is owed for a segment: at once for every second one, and for whatever tells
   * the peer of loss (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2).
   */
  private void oweFor(boolean inOrder) {
    long delay = connection.acknowledgmentDelay();
    boolean gap = early != null && !early.isEmpty();
    if (delay == 0 || owes() || gap || !inOrder) {
      owed = true;
    } else {
      owedLater = true;
      owedAt = connection.now() + delay;
    }
  }

  private void hold(long position, long address, int length, long packet) {
    TcpCounters counters = connection.counters();
    if (early == null) {
      int ranges = 2 * capacity / connection.emss();
      early = new ReceiveQueue(connection.pool(), Math.max(ranges, FEWEST_RANGES));
    }
    int before = early.size();
    int added = connection.mayKeepEarly(before) ? early.add(position, address, length, packet) : -1;
    connection.keepsEarly(early.size() - before);
    if (added < 0) {
      counters.outOfOrderDropped++;
    } else if (added == 0) {
      counters.duplicates++;
    } else {
      counters.outOfOrder++;
    }
  }

  private void deliver(long address, int length, long packet) {
    long position = next;
    next += length;
    connection.counters().octetsIn += length;
    connection.deliver(position, address, length, packet);
  }

  /** Hands up what had waited for the gap to be filled. */
  private void deliverEarly() {
    while (early != null && !early.isEmpty() && early.position() <= next) {
      long packet = early.packet();
      int skip = (int) (next - early.position());
      long address = early.address() + skip;
      int length = early.length() - skip;
      early.removeFirst();
      connection.keepsEarly(-1);
      if (length > 0) {
        deliver(address, length, packet);
      }
      connection.pool().release(packet);
    }
  }

  /** Whether everything up to the peer's FIN has come; true once, the FIN counts then. */
  boolean finReached() {
    if (finPosition == NEVER || next != finPosition) {
      return false;
    }
    next++;
    consumed = next;
    owed = true;
    return true;
  }

  /** Gives back every packet. */
  void clear() {
    if (early != null) {
      connection.keepsEarly(-early.size());
      early.clear();
      early = null;
    }
  }
}
