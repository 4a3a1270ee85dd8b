package org.rddp.tcp.loss;

import org.rddp.device.PacketPool;
import org.rddp.tcp.congestion.CongestionControl;

/**
 * All that one connection needs only while it has segments that wait or are in flight: taken from
 * {@link FlightPool}, and given back when everything is acknowledged.
 */
public final class Flight {
  /** The segments. */
  public final SegmentQueue queue;

  /** What has become of each. */
  public final Scoreboard board;

  /** What is done about those that are lost. */
  public final LossRecovery recovery;

  private final FlightPool memory;

  Flight(FlightPool memory, PacketPool pool) {
    this.memory = memory;
    queue = new SegmentQueue(memory, pool);
    recovery = new LossRecovery(queue, memory.counters());
    board = recovery.board();
  }

  /**
   * A connection has something to send.
   *
   * @param position stream position of the next octet
   */
  public void begin(
      CongestionControl congestion,
      RetransmissionTimeout timeout,
      ReorderingWindow reordering,
      boolean sack,
      int emss,
      long position) {
    queue.begin(position);
    recovery.begin(congestion, timeout, reordering, sack, emss, position);
  }

  /** Whether nothing waits to be sent, for the first time or again. */
  public boolean isIdle() {
    return board.unsent() == queue.tail() && recovery.nextToRetransmit() == SegmentQueue.NONE;
  }

  /**
   * Whether there is one segment, sent once, and nothing was out of order that still matters: its
   * acknowledgment says that it has come, and no more.
   */
  public boolean isSingleSegmentInOrder() {
    return queue.size() == 1 && board.isSentOnce(queue.last()) && recovery.isIdle();
  }

  /**
   * That segment was acknowledged; the flight is to {@linkplain #end end} now.
   *
   * @param una first stream position that was not acknowledged before
   * @param ack first that is not now
   * @return octets of the segment
   */
  public int acknowledgedAlone(long una, long ack, long now) {
    recovery.acknowledgedAlone(una, ack, board.sentAt(queue.last()), now);
    return queue.length(queue.last());
  }

  /** Everything is acknowledged, or given up: gives back the packets, and itself. */
  public void end(long now) {
    recovery.end(now);
    queue.end();
    memory.release(this);
  }
}
