package org.rddp.tcp;

import org.rddp.ip.Path;
import org.rddp.tcp.storage.EarlyRanges;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;
import org.rddp.wire.TcpSegment;

/**
 * Processes payload and FIN of an acceptable segment: finds the octets that are new and hands them
 * up at once, in order or not (RFC 9293 section 3.10.7.4, seventh and eighth check; RFC 5044
 * appendix A.3).
 *
 * <p>Every octet is handed up once: if a segment overlaps received octets, only its other pieces
 * are. Received octets are never discarded.
 */
final class PayloadArrival {
  private final StackContext context;
  private final TcpCounters counters;

  PayloadArrival(StackContext context) {
    this.context = context;
    counters = context.counters;
  }

  void process(TcpConnection connection, TcpSegment segment, long position) {
    Receiver receiver = connection.receiver;
    if (segment.has(Tcp.FIN)) {
      receiver.fin(position + segment.length);
    }
    if (segment.length == 0) {
      // With accurate ECN a SYN-ACK has been acknowledged already.
      if (segment.has(Tcp.FIN) || connection.accurate == null) {
        receiver.requestAcknowledgment();
      }
      return;
    }
    if (connection.ecn && connection.accurate == null) {
      context.ecn.classic(connection, segment);
    }
    long next = receiver.next();
    // MPAA-3-04, MPAB-2.2-06; D03-5.1.2-03: "MUST NOT be passed to MPA more than once"; DDP-3-13:
    // "MUST NOT pass a duplicate DDP Segment"
    long from = Math.max(position, next);
    long to = Math.min(position + segment.length, receiver.limit()); // MPAA-3-02
    boolean inOrder = from == position && from == next && from < to;
    receiver.scheduleAcknowledgment(inOrder, segment.length);
    if (segment.length > connection.sender.emss()) {
      countTrain(connection, segment.length);
    }
    findRepeated(connection, position, Math.max(to, next));
    if (from > next && from < to) {
      handUpEarly(connection, segment, position, to);
      if (connection.state() != TcpState.CLOSED) {
        connection.acknowledgeNow();
      }
    } else if (from < to) {
      handUp(connection, segment, position, to);
    }
  }

  /** Counts a frame as a train, if it is longer than the segments that the peer may send. */
  private void countTrain(TcpConnection connection, int length) {
    int longest = longest(connection);
    if (length > longest) {
      counters.trainsIn++;
      counters.trainSegmentsIn += Math.ceilDiv(length, longest);
    }
  }

  /** The longest segment that the peer may send. */
  private static int longest(TcpConnection connection) {
    int options = connection.agreed.timestamps() ? TcpOptions.TIMESTAMPS_LENGTH : 0;
    Path path = connection.path();
    return SegmentSizes.mss(path, path.linkMtu()) - options;
  }

  /**
   * Counts the packets of an acceptable segment for accurate ECN: as many as a train must have been
   * at least.
   */
  void count(TcpConnection connection, TcpSegment segment) {
    int length = segment.length;
    int packets =
        length <= connection.sender.emss() ? 1 : Math.ceilDiv(length, longest(connection));
    context.ecn.arrived(connection, segment, packets);
  }

  /** Records octets that were received before, for a D-SACK. */
  void repeated(TcpConnection connection, long from, long to) {
    counters.duplicates++;
    Receiver receiver = connection.receiver;
    if (connection.agreed.sack() && from < to) {
      if (receiver.duplicateOctets() > 0) {
        // One acknowledgment reports one duplicate segment (RFC 2883 section 4).
        connection.acknowledgeNow();
      }
      receiver.duplicate(from, to);
      receiver.requestAcknowledgment();
    }
  }

  /** Finds the first octets of a segment that were received before (RFC 2883 section 4.2). */
  private void findRepeated(TcpConnection connection, long position, long to) {
    long next = connection.receiver.next();
    EarlyRanges early = connection.receiver.early();
    if (position < next) {
      repeated(connection, position, Math.min(to, next));
    } else if (early != null) {
      int index = early.indexAfter(position);
      if (index < early.count() && early.start(index) < to) {
        early.touch(index);
        long from = Math.max(position, early.start(index));
        repeated(connection, from, Math.min(to, early.end(index)));
      }
    }
  }

  /**
   * Hands up octets in order, unless the user would keep too many packets, and reports the left
   * edge when they close a gap.
   */
  private void handUp(TcpConnection connection, TcpSegment segment, long position, long to) {
    if (!mayHandUp(connection, segment, to)) {
      counters.outOfOrderDropped++;
      return;
    }
    Receiver receiver = connection.receiver;
    while (receiver.next() < to && connection.state().receiving()) {
      long from = receiver.next();
      long end = receiver.early() == null ? to : Math.min(to, receiver.early().start(0));
      receiver.advance(end);
      deliver(connection, segment, position, from, end);
      if (receiver.closeGap()) {
        receiver.requestAcknowledgment();
        context.upcalls.leftEdge(connection, receiver.next()); // MPAA-3-06
      }
    }
  }

  /**
   * Whether the next octets in order, up to a position, may be handed up: not while the user keeps
   * too many packets and would keep more.
   */
  private boolean mayHandUp(TcpConnection connection, TcpSegment segment, long to) {
    Receiver receiver = connection.receiver;
    if (receiver.kept == 0 || connection.mayKeepEarly(receiver.kept)) {
      return true;
    }
    EarlyRanges early = receiver.early();
    long end = early == null ? to : Math.min(to, early.start(0));
    int length = (int) (end - receiver.next());
    return connection.handler != null
        && context.upcalls.keepsNoMore(connection, length, segment.packet);
  }

  /** Hands up the new pieces of a segment received out of order, while they may be kept. */
  private void handUpEarly(TcpConnection connection, TcpSegment segment, long position, long to) {
    Receiver receiver = connection.receiver;
    int weight = context.pool.weight(segment.packet);
    boolean kept = false;
    long at = position;
    while (at < to && connection.state().receiving()) {
      EarlyRanges early = receiver.early();
      int behind = early == null ? 0 : early.indexAfter(at);
      boolean last = early == null || behind == early.count();
      if (!last && early.start(behind) <= at) { // MPAA-3-04, DDP-3-13, D03-5.1.2-03
        at = early.end(behind);
        continue;
      }
      long end = last ? to : Math.min(to, early.start(behind));
      // MPAA-3-03; D03-5.1.2-02: "MUST have committed to keeping each segment before it can be
      // passed to the MPA"
      if (!receiver.keepEarly(at, end, weight)) {
        counters.outOfOrderDropped++;
        return;
      }
      kept = true;
      deliver(connection, segment, position, at, end); // MPAA-3-01, D03-5.1.2-01
      if (context.pool.shared(segment.packet)) {
        counters.octetsKept += end - at;
      }
      at = end;
    }
    if (kept) {
      counters.outOfOrder++;
    }
  }

  private void deliver(
      TcpConnection connection, TcpSegment segment, long position, long from, long to) {
    int length = (int) (to - from);
    counters.octetsIn += length;
    context.upcalls.segment(
        connection, from, segment.payload + (from - position), length, segment.packet); // MPAA-3-05
  }
}
