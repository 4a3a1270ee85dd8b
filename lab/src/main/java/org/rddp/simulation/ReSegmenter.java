package org.rddp.simulation;

import java.util.SplittableRandom;

/**
 * A middlebox that ignores segment boundaries (an intermediary, RFC 5044 section 5.1): it makes one
 * segment of several consecutive ones, and several of one. The octets and their sequence numbers
 * stay the same. It handles one connection at a time.
 */
public final class ReSegmenter implements Hop {
  private static final long LONGEST_WAIT = 500_000;
  private static final int MOST_PIECES = 4;

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
    return SegmentView.isOrdinary(address, network.frames().length(frame));
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
    return SegmentView.follows(first, network.frames().address(frame))
        && SegmentView.total(SegmentView.packet(first)) < next.mtu();
  }

  /** Fills the held segment with octets of another, whose rest is held then. */
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
    frames.length(held, SegmentView.append(frames.address(held), frames.address(frame)));
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
    return SegmentView.piece(network.frames(), frame, from, octets, last);
  }
}
