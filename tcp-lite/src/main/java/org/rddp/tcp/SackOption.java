package org.rddp.tcp;

import org.rddp.tcp.storage.EarlyRanges;
import org.rddp.wire.TcpOptions;

/**
 * The SACK option of one sent segment: a duplicate (RFC 2883 section 4), then the range that
 * changed last, then ranges reported before, the most recent first (RFC 2018 section 4). A stack
 * reuses a single instance.
 */
final class SackOption {
  private final int[] indices = new int[TcpOptions.MOST_SACK_BLOCKS];
  private final int[] left = new int[TcpOptions.MOST_SACK_BLOCKS];
  private final int[] right = new int[TcpOptions.MOST_SACK_BLOCKS];
  private int blocks;

  /**
   * Chooses the blocks.
   *
   * @param room octets that the option may have
   * @return octets of the option, 0 for none
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
      addRanges(receiver, early, early.mostRecent(indices, most - blocks)); // MPAA-3-08
    }
    return blocks == 0 ? 0 : TcpOptions.SACK_LENGTH + blocks * TcpOptions.SACK_BLOCK_LENGTH;
  }

  private void addRanges(Receiver receiver, EarlyRanges early, int count) {
    for (int i = 0; i < count; i++) {
      long end = early.end(indices[i]);
      // A received FIN right behind the range has a sequence number of its own.
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
   * Writes the chosen blocks.
   *
   * @return their partial sum
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
