package org.rddp.tcp;

import org.rddp.tcp.storage.EarlyRanges;
import org.rddp.wire.TcpOptions;

/**
 * The SACK option of one segment that leaves: what came twice (RFC 2883 section 4), then the range
 * that came last, then those that were reported before, the latest first (RFC 2018 section 4). The
 * stack uses a single one again and again.
 */
final class SackOption {
  private final int[] indices = new int[TcpOptions.MOST_SACK_BLOCKS];
  private final int[] left = new int[TcpOptions.MOST_SACK_BLOCKS];
  private final int[] right = new int[TcpOptions.MOST_SACK_BLOCKS];
  private int blocks;

  /**
   * Chooses as many blocks as there is something to say and room to say it.
   *
   * @param room octets that the option may have
   * @return octets that it has, 0 for none
   */
  int choose(Receiver receiver, int room) {
    blocks = 0;
    EarlyRanges early = receiver.early();
    if (early == null && receiver.duplicateOctets() == 0) {
      return 0;
    }
    int fitting = (room - TcpOptions.SACK_LENGTH) / TcpOptions.SACK_BLOCK_LENGTH;
    int most = Math.min(fitting, TcpOptions.MOST_SACK_BLOCKS);
    if (most <= 0) {
      return 0;
    }
    if (receiver.duplicateOctets() > 0) {
      int from = receiver.duplicateSequence();
      add(from, from + receiver.duplicateOctets());
    }
    if (early != null) {
      addRanges(receiver, early, early.mostRecent(indices, most - blocks));
    }
    return blocks == 0 ? 0 : TcpOptions.SACK_LENGTH + blocks * TcpOptions.SACK_BLOCK_LENGTH;
  }

  private void addRanges(Receiver receiver, EarlyRanges early, int count) {
    for (int i = 0; i < count; i++) {
      long end = early.end(indices[i]);
      // A FIN behind the range has come with it, and takes a number of its own.
      int fin = receiver.finAt(end) ? 1 : 0;
      add(receiver.sequence(early.start(indices[i])), receiver.sequence(end) + fin);
    }
  }

  private void add(int from, int to) {
    left[blocks] = from;
    right[blocks] = to;
    blocks++;
  }

  /**
   * Writes what was chosen.
   *
   * @return its partial sum
   */
  long put(long at) {
    long sum = TcpOptions.putSack(at, blocks);
    long block = at + TcpOptions.SACK_LENGTH;
    for (int i = 0; i < blocks; i++) {
      sum += TcpOptions.putSackBlock(block, left[i], right[i]);
      block += TcpOptions.SACK_BLOCK_LENGTH;
    }
    return sum;
  }
}
