package org.rddp.tcp.loss;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.device.NativePacketPool;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/** What SACK blocks acknowledge, against a model that remembers every octet. */
class SackBlocksTest {
  private static final int SEGMENTS = 24;
  private static final int LONGEST = 40;

  private final NativePacketPool pool = new NativePacketPool(SEGMENTS, 1024);
  private final FlightPool memory = new FlightPool(pool, new LossCounters());
  private final SegmentQueue queue = new SegmentQueue(memory, pool);
  private final Scoreboard board = new Scoreboard(queue, new DeliveredSegments());
  private final SackBlocks blocks = new SackBlocks(queue, board);
  private final TcpOptions options = new TcpOptions();
  private final long header = Memory.allocate(60);
  private final BitSet reported = new BitSet();
  private final SplittableRandom random = new SplittableRandom(8);

  private void begin() {
    queue.begin(0);
    board.begin();
    blocks.forget();
    reported.clear();
    for (int i = 0; i < SEGMENTS; i++) {
      long packet = pool.allocate();
      pool.window(packet, pool.address(packet), 1 + random.nextInt(LONGEST));
      queue.add(packet);
      board.sent(queue.slot(i), i);
    }
  }

  /** Takes an acknowledgment with one block. */
  private void take(int from, int to) {
    TcpOptions.putSack(header + Tcp.HEADER, 1);
    TcpOptions.putSackBlock(header + Tcp.HEADER + TcpOptions.SACK_LENGTH, from, to);
    int length = Tcp.HEADER + TcpOptions.SACK_LENGTH + TcpOptions.SACK_BLOCK_LENGTH;
    assertThat(options.parse(header, length)).isTrue();
    long una = queue.headPosition();
    blocks.take(options, una, (int) una, queue.endPosition(), 0);
    reported.set(from, to);
  }

  private void check() {
    for (long number = queue.head(); number < queue.tail(); number++) {
      int slot = queue.slot(number);
      int from = (int) queue.position(slot);
      int end = (int) queue.end(slot);
      assertThat(board.sacked(slot))
          .as("%d to %d of %s", from, end, reported)
          .isEqualTo(reported.nextClearBit(from) >= end);
    }
  }

  @Test
  @DisplayName("RFC 2018 4: a segment is acknowledged once its octets are, in whatever blocks")
  void shouldMarkWhatIsReported() {
    for (int life = 0; life < 2000; life++) {
      begin();
      for (int i = 0; i < 30; i++) {
        int una = (int) queue.headPosition();
        int end = (int) queue.endPosition();
        int from = una + 1 + random.nextInt(end - una - 1);
        take(from, from + 1 + random.nextInt(Math.min(end - from, 3 * LONGEST)));
        check();
        if (random.nextInt(8) == 0 && board.outstanding() > 2) {
          board.acknowledge(queue.end(queue.slot(queue.head())));
        }
      }
      queue.end();
    }
  }
}
