package org.rddp.simulation;

import java.util.SplittableRandom;
import org.rddp.wire.Memory;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;

/**
 * A middlebox that ignores segment boundaries (an intermediary, RFC 5044 section 5.1): it makes one
 * segment of several consecutive ones, and several of one. The octets and their sequence numbers
 * stay the same. It handles one connection at a time.
 */
public final class ReSegmenter implements Hop {
  private static final long LONGEST_WAIT = 500_000;
  private static final int MOST_PIECES = 4;
  private static final int ORDINARY = Tcp.ACK | Tcp.PSH | Tcp.FIN;

  private final Network network;
  private final SplittableRandom random;
  private final Router next;
  private final Event timeout = this::timeout;
  private double chance;
  private long held;
  private long turn;

  /** A middlebox in front of a router, whose MTU its segments do not exceed. */
  public ReSegmenter(Network network, Router next) {
    this.network = network;
    this.next = next;
    random = network.newRandom();
  }

  /**
   * Starts to change segments.
   *
   * @param often share of the segments that are changed, 0 to 1
   */
  public void setRate(double often) {
    chance = often;
  }

  @Override
  public void take(long frame) {
    if (chance == 0 && held == 0) {
      next.take(frame);
      return;
    }
    if (!ordinary(frame)) {
      flush();
      next.take(frame);
    } else if (held != 0 && follows(frame)) {
      join(frame);
    } else {
      flush();
      begin(frame);
    }
  }

  private boolean ordinary(long frame) {
    long address = network.frames().address(frame);
    return SegmentView.isSegment(address, network.frames().length(frame))
        && (Tcp.flags(SegmentView.segment(address)) & ~ORDINARY) == 0
        && SegmentView.payloadLength(address) > 0
        && SegmentView.intact(address);
  }

  private void begin(long frame) {
    if (random.nextDouble() >= chance) {
      next.take(frame);
    } else if (random.nextBoolean()) {
      cut(frame, random.nextBoolean());
    } else {
      hold(frame);
    }
  }

  private void hold(long frame) {
    held = frame;
    turn++;
    network.events().schedule(network.now() + random.nextLong(LONGEST_WAIT), timeout, turn);
  }

  private void timeout(long which) {
    if (which == turn) {
      flush();
    }
  }

  private void flush() {
    if (held != 0) {
      long frame = held;
      held = 0;
      turn++;
      if (random.nextBoolean()) {
        cut(frame, false);
      } else {
        next.take(frame);
      }
    }
  }

  /** Whether a segment continues the one that is held, so that they can be joined. */
  private boolean follows(long frame) {
    long first = network.frames().address(held);
    long second = network.frames().address(frame);
    long one = SegmentView.segment(first);
    long two = SegmentView.segment(second);
    return sameConnection(first, second)
        && Tcp.headerLength(one) == Tcp.headerLength(two)
        && Tcp.sequence(two) == Tcp.sequence(one) + SegmentView.payloadLength(first)
        && SequenceNumber.distance(Tcp.acknowledgment(one), Tcp.acknowledgment(two)) >= 0
        && (Tcp.flags(one) & Tcp.FIN) == 0
        && SegmentView.total(SegmentView.packet(first)) < next.mtu();
  }

  private static boolean sameConnection(long first, long second) {
    long one = SegmentView.packet(first);
    long two = SegmentView.packet(second);
    return SegmentView.source(one) == SegmentView.source(two)
        && SegmentView.destination(one) == SegmentView.destination(two)
        && SegmentView.ecn(one) == SegmentView.ecn(two)
        && Memory.getInt(SegmentView.segment(first)) == Memory.getInt(SegmentView.segment(second));
  }

  /** Fills the segment that is held with octets of another; the rest of that is held then. */
  private void join(long frame) {
    long address = network.frames().address(frame);
    long first = SegmentView.packet(network.frames().address(held));
    int length = SegmentView.payloadLength(address);
    int room = next.mtu() - SegmentView.total(first);
    if (length <= room) {
      append(frame);
      return;
    }
    long rest = piece(frame, room, length - room, true);
    append(piece(frame, 0, room, false));
    network.report(NetworkEvent.SPLIT, frame);
    network.frames().release(frame);
    next.take(held);
    hold(rest);
  }

  /** Appends a segment to the one that is held, and takes the newer header. */
  private void append(long frame) {
    FrameStore frames = network.frames();
    long first = frames.address(held);
    long second = frames.address(frame);
    int added = SegmentView.payloadLength(second);
    int length = SegmentView.payloadLength(first);
    long segment = SegmentView.segment(first);
    int sequence = Tcp.sequence(segment);
    Memory.copy(SegmentView.payload(second), SegmentView.payload(first) + length, added);
    Memory.copy(
        SegmentView.segment(second), segment, Tcp.headerLength(SegmentView.segment(second)));
    SegmentView.sequence(segment, sequence);
    frames.length(held, size(first, length + added));
    network.report(NetworkEvent.COALESCED, held);
    frames.release(frame);
  }

  /** Sends a segment in pieces; the last may be held. */
  private void cut(long frame, boolean holding) {
    FrameStore frames = network.frames();
    long whole = frames.address(frame);
    int length = SegmentView.payloadLength(whole);
    int pieces = 1 + random.nextInt(MOST_PIECES);
    int from = 0;
    while (pieces > 1 && length - from > 1) {
      int to = from + 1 + random.nextInt(length - from - 1);
      next.take(piece(frame, from, to - from, false));
      from = to;
      pieces--;
    }
    if (from == 0) {
      next.take(frame);
      return;
    }
    network.report(NetworkEvent.SPLIT, frame);
    long last = piece(frame, from, length - from, true);
    frames.release(frame);
    if (holding) {
      hold(last);
    } else {
      next.take(last);
    }
  }

  private long piece(long frame, int from, int octets, boolean last) {
    FrameStore frames = network.frames();
    long copy = frames.copy(frame);
    long address = frames.address(copy);
    long segment = SegmentView.segment(address);
    SegmentView.sequence(segment, Tcp.sequence(segment) + from);
    if (!last) {
      SegmentView.clearFlags(segment, Tcp.PSH | Tcp.FIN);
    }
    Memory.copy(
        SegmentView.payload(frames.address(frame)) + from, SegmentView.payload(address), octets);
    frames.length(copy, size(address, octets));
    return copy;
  }

  /** Sets the length of a segment's payload; returns the frame's length. */
  private static int size(long frame, int octets) {
    long packet = SegmentView.packet(frame);
    int total = (int) (SegmentView.payload(frame) - packet) + octets;
    SegmentView.totalLength(packet, total);
    SegmentView.checksum(frame);
    return (int) (packet - frame) + total;
  }
}
