package org.rddp.simulation.tcp;

import java.util.HashMap;
import java.util.Map;
import org.rddp.simulation.NetworkEvent;
import org.rddp.simulation.NetworkListener;
import org.rddp.simulation.SegmentView;
import org.rddp.simulation.SequenceSpaces;
import org.rddp.simulation.SequenceSpaces.Direction;
import org.rddp.simulation.Violations;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * Checks every segment that leaves a host: it is well-formed and its checksums are right; it
 * acknowledges nothing that was never sent, and never less than before; the window's right edge
 * does not move back (RFC 9293 section 3.8.6); nothing is sent beyond the window.
 */
final class SegmentWatch implements NetworkListener {
  /** The widest window that a segment advertises without a shift. */
  private static final int WIDEST = 0xffff;

  /** A direction with a certain initial sequence number. */
  private record Numbering(Direction direction, int initial) {}

  /** State of one direction of a connection, in numbers relative to its SYN. */
  private static final class Half {
    private final int initial;
    private int shift;
    private long sent;
    private long acknowledged;
    private long edge;

    /** What it acknowledges: the other direction of the same incarnation; null before it does. */
    private Half acknowledges;

    Half(int initial) {
      this.initial = initial;
    }
  }

  private final Violations violations;
  private final Map<Direction, Half> halves = new HashMap<>();
  private final Map<Numbering, Half> numbered = new HashMap<>();
  private final SequenceSpaces spaces = new SequenceSpaces();
  private final TcpOptions options = new TcpOptions();
  private long segments;
  private long withData;

  SegmentWatch(Violations violations) {
    this.violations = violations;
  }

  /** Segments that hosts have sent. */
  long segments() {
    return segments;
  }

  /** Segments with data that hosts have sent. */
  long withData() {
    return withData;
  }

  @Override
  public void onEvent(NetworkEvent event, long frame, int length, int detail) {
    boolean leaves = event == NetworkEvent.SENT || event == NetworkEvent.SEALED;
    if (!leaves || !SegmentView.isSegment(frame, length)) {
      return;
    }
    segments++;
    if (SegmentView.payloadLength(frame) > 0) {
      withData++;
    }
    long segment = SegmentView.segment(frame);
    check(SegmentView.intact(frame), "a segment leaves with a wrong checksum");
    check(
        options.parse(segment, Tcp.headerLength(segment)), "a segment leaves with broken options");
    if ((Tcp.flags(segment) & Tcp.RST) == 0) {
      ordinary(frame, segment);
    }
  }

  private void ordinary(long frame, long segment) {
    int flags = Tcp.flags(segment);
    Direction direction = Direction.of(frame);
    spaces.learn(frame);
    Half ours = half(direction);
    if ((flags & Tcp.SYN) != 0) {
      if (Tcp.sequence(segment) != ours.initial) {
        // The peer has taken another SYN-ACK; this one, made without state, is void.
        return;
      }
      ours.shift = options.windowScale();
    }
    Half theirs = theirs(ours, direction.reverse(), segment);
    if ((flags & Tcp.ACK) != 0) {
      acknowledged(ours, theirs, segment, flags);
    }
    sent(ours, theirs, frame, segment);
  }

  /**
   * The other direction of the incarnation that a segment belongs to. A host whose peer has ended a
   * connection goes on with it until it learns of that, though the peer may have sent the SYN of
   * another one from the same port meanwhile.
   */
  private Half theirs(Half ours, Direction reverse, long segment) {
    int flags = Tcp.flags(segment) & (Tcp.SYN | Tcp.ACK);
    if (flags == (Tcp.SYN | Tcp.ACK)) {
      ours.acknowledges = numbered.get(new Numbering(reverse, Tcp.acknowledgment(segment) - 1));
    } else if (flags == Tcp.ACK && ours.acknowledges == null) {
      ours.acknowledges = half(reverse);
    }
    return ours.acknowledges == null ? half(reverse) : ours.acknowledges;
  }

  /**
   * The state of a direction. SYN-ACKs made without state may differ in number and window shift;
   * the peer's first acknowledgment shows which one it has taken.
   */
  private Half half(Direction direction) {
    int initial = spaces.initial(direction);
    Half half = halves.get(direction);
    if (half == null || half.initial != initial) {
      half = numbered.computeIfAbsent(new Numbering(direction, initial), any -> new Half(initial));
      halves.put(direction, half);
    }
    return half;
  }

  private void acknowledged(Half ours, Half theirs, long segment, int flags) {
    int number = Tcp.acknowledgment(segment);
    long relative =
        ours.acknowledged
            + SequenceNumber.distance(theirs.initial + (int) ours.acknowledged, number);
    check(relative <= theirs.sent, "octet " + relative + " is acknowledged, but was never sent");
    check(relative >= ours.acknowledged, "the acknowledgment goes back to " + relative);
    boolean syn = (flags & Tcp.SYN) != 0;
    boolean scaled = !syn && ours.shift >= 0 && theirs.shift >= 0;
    int shift = scaled ? ours.shift : 0;
    long edge = relative + ((long) Tcp.window(segment) << shift);
    // A SYN cannot advertise a window that is wider than its field (RFC 7323 section 2.2).
    boolean most = syn && Tcp.window(segment) == WIDEST;
    // A window is a multiple of its unit: rounded down, it may shrink by less than that.
    check(
        most || edge > ours.edge - (1L << Math.max(ours.shift, 0)),
        "the window's right edge goes back from " + ours.edge + " to " + edge);
    ours.acknowledged = Math.max(ours.acknowledged, relative);
    ours.edge = Math.max(ours.edge, edge);
  }

  private void sent(Half ours, Half theirs, long frame, long segment) {
    long first =
        ours.sent + SequenceNumber.distance(ours.initial + (int) ours.sent, Tcp.sequence(segment));
    long end = first + SegmentView.sequenceLength(frame);
    // Gaps are no error of TCP: IP drops packets that have waited too long for a MAC address.
    if (SegmentView.payloadLength(frame) > 0) {
      long last = first + SegmentView.payloadLength(frame);
      check(last <= theirs.edge, "octet " + last + " is sent beyond the window's " + theirs.edge);
    }
    ours.sent = Math.max(ours.sent, end);
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      violations.add(what);
    }
  }
}
