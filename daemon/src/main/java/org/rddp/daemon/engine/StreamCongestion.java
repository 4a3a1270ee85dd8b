package org.rddp.daemon.engine;

import org.rddp.ipc.ring.StreamHeader;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.TcpConnection;

/** The congestion control that a program chooses for an octet stream. Engine thread only. */
final class StreamCongestion {
  /** What {@link StreamHeader#congestion} was when it was looked at last. */
  private int chosen;

  /** Tells the program which one is in use, and whether it may choose DCTCP. */
  void begin(StreamHeader header, TcpConnection tcp) {
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

  /** Takes the program's choice; one that the interface does not allow is ignored. */
  void look(StreamHeader header, TcpConnection tcp) {
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
