package org.rddp.tcp.loss;

import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.congestion.CongestionControl;

/**
 * The state of a connection that has segments waiting or in flight: borrowed from {@link
 * FlightPool} until everything is acknowledged.
 */
public final class Flight {
  /** The segments. */
  public final SegmentQueue queue;

  /** The state of each segment. */
  public final Scoreboard board;

  /** Finds and repairs losses. */
  public final LossRecovery recovery;

  private final FlightPool memory;

  Flight(FlightPool memory, PacketPool pool) {
    this.memory = memory;
    queue = new SegmentQueue(memory, pool);
    recovery = new LossRecovery(queue, memory.counters());
    board = recovery.board();
  }

  /**
   * Starts the flight of a connection that has something to send.
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

  /** Whether no segment waits to be sent, for the first time or again. */
  public boolean isIdle() {
    return board.unsent() == queue.tail() && recovery.nextToRetransmit() == SegmentQueue.NONE;
  }

  /**
   * Whether there is a single segment, sent once, and no recovery is in progress or may still prove
   * spurious. Then its acknowledgment only says that it was received.
   */
  public boolean isSingleSegmentInOrder() {
    return queue.size() == 1 && board.isSentOnce(queue.last()) && recovery.isIdle();
  }

  /**
   * Processes the acknowledgment of that segment; {@link #end} must follow.
   *
   * @param una SND.UNA before the acknowledgment
   * @param ack SND.UNA after it
   * @return octets of the segment
   */
  public int acknowledgedAlone(long una, long ack, long now) {
    recovery.acknowledgedAlone(una, ack, board.sentAt(queue.last()), now);
    return queue.length(queue.last());
  }

  /**
   * Releases the packets and the flight, when everything is acknowledged or the connection has
   * ended.
   */
  public void end(long now) {
    recovery.end(now);
    queue.end();
    memory.release(this);
  }

  /** Transfers the segments and the state of loss recovery; when read, after {@link #begin}. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(Flight.class);
    queue.transfer(snapshot);
    recovery.transfer(snapshot);
    snapshot.end();
  }
}
