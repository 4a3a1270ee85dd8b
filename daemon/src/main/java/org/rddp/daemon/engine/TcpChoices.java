package org.rddp.daemon.engine;

import org.rddp.client.types.CongestionChoice;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpSettings;

/**
 * What a program chooses of a connection's TCP in place of the interface's settings.
 *
 * @param dscp Differentiated Services codepoint, -1 for the interface's
 * @param congestion congestion control
 */
record TcpChoices(byte dscp, CongestionChoice congestion) {
  static TcpChoices of(ConnectionSettings settings) {
    return new TcpChoices((byte) settings.dscp(), settings.congestion());
  }

  /** Refuses what the interface does not allow. */
  static void check(TcpSettings configured, ConnectionSettings settings)
      throws RequestRefusedException {
    if (settings.congestion() == CongestionChoice.DCTCP && !configured.ecn()) {
      throw new RequestRefusedException(
          Reason.INVALID, "DCTCP needs ECN, which the interface is configured without (ecn)");
    }
  }

  /** Applies them to a connection. */
  void apply(TcpConnection connection) {
    if (dscp >= 0) {
      connection.dscp(dscp);
    }
    switch (congestion) {
      case CUBIC -> connection.congestion(CongestionAlgorithm.CUBIC);
      case DCTCP -> connection.congestion(CongestionAlgorithm.DCTCP);
      case NEW_RENO -> connection.congestion(CongestionAlgorithm.NEW_RENO);
      default -> {}
    }
  }
}
