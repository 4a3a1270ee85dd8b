package org.rddp.daemon.engine;

import org.rddp.ipc.ring.StreamHeader;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpSettings;

/**
 * What a program chooses of an octet stream's TCP: congestion control and DSCP. Engine thread only.
 */
final class StreamChoices {
  /** What {@link StreamHeader#congestion} was when it was looked at last. */
  private int chosen;

  /** What {@link StreamHeader#dscp} was when it was looked at last. */
  private int codepoint = StreamHeader.NO_DSCP;

  /** Tells the program which congestion control is in use, and whether it may choose DCTCP. */
  void begin(StreamHeader header, TcpConnection tcp) {
    if (tcp == null) {
      return; // It has ended, and what has come waits to be read.
    }
    int used =
        switch (tcp.congestion()) {
          case CUBIC -> StreamHeader.CUBIC;
          case NEW_RENO -> StreamHeader.NEW_RENO;
          case DCTCP -> StreamHeader.DCTCP;
          case NONE -> StreamHeader.NO_CONTROL;
        };
    header.addDaemonFlags(
        used << StreamHeader.CONGESTION_SHIFT
            | (tcp.mayUseDctcp() ? StreamHeader.DCTCP_ALLOWED : 0));
  }

  /** Takes the program's choices; one that cannot be is ignored. */
  void look(StreamHeader header, TcpConnection tcp) {
    if (tcp == null) {
      return;
    }
    lookAtCongestion(header, tcp);
    int dscp = header.dscp();
    if (dscp != codepoint && dscp >= 0 && dscp <= TcpSettings.LARGEST_DSCP) {
      codepoint = dscp;
      tcp.dscp(dscp);
    }
  }

  /** Transfers what has been looked at. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(StreamChoices.class);
    chosen = snapshot.number("chosen", chosen);
    codepoint = snapshot.number("codepoint", codepoint);
    snapshot.end();
  }

  private void lookAtCongestion(StreamHeader header, TcpConnection tcp) {
    int choice = header.congestion();
    if (choice == chosen) {
      return;
    }
    chosen = choice;
    CongestionAlgorithm algorithm =
        switch (choice) {
          case StreamHeader.DCTCP -> CongestionAlgorithm.DCTCP;
          case StreamHeader.NEW_RENO -> CongestionAlgorithm.NEW_RENO;
          default -> CongestionAlgorithm.CUBIC;
        };
    if (algorithm != CongestionAlgorithm.DCTCP || tcp.mayUseDctcp()) {
      tcp.congestion(algorithm);
    }
  }
}
