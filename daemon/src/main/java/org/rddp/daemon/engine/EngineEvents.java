package org.rddp.daemon.engine;

import jdk.jfr.FlightRecorder;
import org.rddp.tcp.TcpConnection;

/**
 * Events of an engine for Flight Recorder. They are rare; until this JVM records for the first
 * time, an event costs a comparison. Engine thread only.
 */
final class EngineEvents {
  private final String name;

  /** Creates the events of an engine. */
  EngineEvents(String name) {
    this.name = name;
  }

  /** Records that a connection has reached Full Operation. */
  void opened(ConnectionEnds ends, boolean initiator) {
    if (FlightRecorder.isInitialized()) {
      ConnectionOpenedEvent event = new ConnectionOpenedEvent();
      if (event.isEnabled()) {
        event.initiator = initiator;
        commit(event, ends.localPort(), ends.remoteAddress().toString(), ends.remotePort());
      }
    }
  }

  /**
   * Records that a connection was not established, or did not end gracefully.
   *
   * @param opened whether it had reached Full Operation
   */
  void failed(ConnectionEnds ends, boolean opened, EndCause cause) {
    if (FlightRecorder.isInitialized()) {
      ConnectionFailedEvent event = new ConnectionFailedEvent();
      if (event.isEnabled()) {
        event.opened = opened;
        event.reason = cause.reason().name();
        event.detail = cause.detail();
        event.text = cause.text();
        commit(event, ends.localPort(), ends.remoteAddress().toString(), ends.remotePort());
      }
    }
  }

  /** Records that TCP's retransmission timer has expired after {@code timeout} ns. */
  void timedOut(TcpConnection connection, long timeout, int earlier) {
    if (FlightRecorder.isInitialized()) {
      RetransmissionTimeoutEvent event = new RetransmissionTimeoutEvent();
      if (event.isEnabled()) {
        event.timeout = timeout;
        event.earlier = earlier;
        String address = connection.remoteAddress().toString();
        commit(event, connection.localPort(), address, connection.remotePort());
      }
    }
  }

  private void commit(ConnectionEvent event, int localPort, String remoteAddress, int remotePort) {
    event.port = name;
    event.localPort = localPort;
    event.remoteAddress = remoteAddress;
    event.remotePort = remotePort;
    event.commit();
  }
}
