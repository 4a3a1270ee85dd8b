package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.List;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.ip.Ipv4Address;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpListener;
import org.rddp.tcp.TcpStack;
import org.rddp.tcp.TcpStream;

/**
 * A port at which a program accepts connections. The program is told of a peer when TCP's handshake
 * is done and MPA's request has come. Engine thread only.
 */
public final class SessionListener {
  private static final int FIRST_EPHEMERAL_PORT = 49152;
  private static final int LAST_PORT = 65535;

  private final Session session;
  private final int number;
  private final int backlog;
  private final ConnectionSettings settings;
  private final List<SessionConnection> unanswered = new ArrayList<>();
  private TcpListener listener;

  /** A TCP handshake that was under way when the listener closed may still complete. */
  private boolean closed;

  SessionListener(Session session, int number, int backlog, ConnectionSettings settings) {
    this.session = session;
    this.number = number;
    this.backlog = backlog;
    this.settings = settings;
  }

  void open(int port) throws RequestRefusedException {
    TcpStack tcp = session.engine().tcp();
    int first = port == 0 ? FIRST_EPHEMERAL_PORT : port;
    int last = port == 0 ? LAST_PORT : port;
    for (int each = first; listener == null && each <= last; each++) {
      try {
        listener = tcp.listen(each, this::onIncoming);
      } catch (IllegalStateException inUse) {
        listener = null;
      }
    }
    if (listener == null) {
      throw new RequestRefusedException(
          Reason.ADDRESS_IN_USE, port == 0 ? "no port is free" : "port " + port + " is in use");
    }
    SessionReceiveQueue receives = session.receiveQueues().get(settings.receiveQueue());
    if (receives != null) {
      receives.use();
    }
  }

  /** The settings of every connection. */
  ConnectionSettings settings() {
    return settings;
  }

  /** Whether peers that do not offer an RTR are rejected. */
  boolean requiresPeerToPeer() {
    return settings.startup().peerToPeer() == StartupOptions.Choice.YES;
  }

  /** Its number in the session. */
  public int number() {
    return number;
  }

  /** The port. */
  public int port() {
    return listener.port();
  }

  private StreamHandler onIncoming(TcpStream stream, Ipv4Address address, int port) {
    if (closed) {
      return null;
    }
    Engine engine = session.engine();
    if (unanswered.size() >= backlog
        || !session.hasRoomForConnection()
        || !engine.mayBeginStartup()) {
      engine.counters().startupsRefused++;
      return null;
    }
    engine.countStartups(1);
    SessionConnection connection =
        SessionConnection.incoming(session, this, stream, address.bits(), port);
    unanswered.add(connection);
    return connection.transport();
  }

  /** Whether the program has still to answer. */
  boolean awaits(SessionConnection connection) {
    return unanswered.contains(connection);
  }

  /** The program has answered, or the connection has ended. */
  void answered(SessionConnection connection) {
    if (unanswered.remove(connection)) {
      session.engine().countStartups(-1);
    }
  }

  void close() {
    closed = true;
    listener.close();
    SessionReceiveQueue receives = session.receiveQueues().get(settings.receiveQueue());
    if (receives != null) {
      receives.release();
    }
    for (SessionConnection connection : List.copyOf(unanswered)) {
      connection.decline();
    }
  }
}
