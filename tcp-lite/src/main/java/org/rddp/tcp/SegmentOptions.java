package org.rddp.tcp;

import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * The options of one sent segment of a synchronised connection: timestamps, AccECN and SACK. A
 * stack reuses a single instance.
 */
final class SegmentOptions {
  /** Octets of a SACK option with two blocks, which goes before AccECN (RFC 9768 3.2.3.3). */
  private static final int TWO_BLOCKS = TcpOptions.SACK_LENGTH + 2 * TcpOptions.SACK_BLOCK_LENGTH;

  private final SackOption sackOption = new SackOption();
  private int fixedLength;
  private int accurateLength;
  private int sackLength;

  /**
   * Chooses the options of a segment.
   *
   * @param room octets that it has for others than timestamps
   * @param data whether it has payload
   * @return octets of the header
   */
  int choose(TcpConnection connection, int room, boolean data) {
    without(connection);
    int fitting = Math.min(Tcp.LONGEST_HEADER - fixedLength, room);
    if (connection.agreed.sack()) {
      sackLength = sackOption.choose(connection.receiver, fitting);
    }
    if (connection.accurate != null) {
      chooseAccurate(connection, fitting, data);
    }
    return fixedLength + accurateLength + sackLength;
  }

  private void chooseAccurate(TcpConnection connection, int fitting, boolean data) {
    int left = fitting - Math.min(sackLength, TWO_BLOCKS); // ACC-3.2.3.3-01
    accurateLength = connection.accurate.received.optionLength(left, data);
    if (accurateLength + sackLength > fitting) {
      sackLength = sackOption.choose(connection.receiver, fitting - accurateLength);
    }
  }

  /** Chooses nothing but timestamps; returns octets of the header. */
  int without(TcpConnection connection) {
    fixedLength =
        connection.agreed.timestamps() ? Tcp.HEADER + TcpOptions.TIMESTAMPS_LENGTH : Tcp.HEADER;
    accurateLength = 0;
    sackLength = 0;
    return fixedLength;
  }

  /** Whether SACK blocks were chosen. */
  boolean selective() {
    return sackLength > 0;
  }

  /**
   * Writes the chosen options.
   *
   * @param end the stream position behind the segment's payload, -1 if it has none
   * @return their partial sum
   */
  long put(TcpConnection connection, long header, long end) {
    long sum = 0;
    if (connection.agreed.timestamps()) {
      int echo = connection.receiver.recentTimestamp();
      sum += TcpOptions.putTimestamps(header + Tcp.HEADER, connection.timestamp(), echo);
    }
    if (accurateLength > 0) {
      long at = header + fixedLength;
      sum += connection.accurate.received.putOption(at, accurateLength, end);
    }
    if (sackLength > 0) {
      sum += sackOption.put(header + fixedLength + accurateLength);
    }
    return sum;
  }
}
