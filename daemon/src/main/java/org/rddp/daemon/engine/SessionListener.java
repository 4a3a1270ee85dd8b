package org.rddp.daemon.engine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpListener;
import org.rddp.tcp.TcpStack;

/**
 * A port at which a program accepts connections. The program is told of a peer after TCP's
 * handshake and MPA's request. Engine thread only.
 */
public final class SessionListener {
  private static final int FIRST_EPHEMERAL_PORT = 49152;
  private static final int LAST_PORT = 65535;

  private final Session session;
  private final int number;
  private final HostAddress address;
  private final int backlog;
  private final ConnectionSettings settings;

  /** Connections whose MPA Request has not arrived; the engine bounds their number. */
  private final Set<SessionConnection> starting = new LinkedHashSet<>();

  /** Requests that wait for the program's answer; the backlog bounds their number. */
  private final Set<PeerRequest> unanswered = new LinkedHashSet<>();

  private final long openedAt;
  private TcpListener listener;
  private long requested;
  private long refused;

  /** Whether it has closed; a TCP handshake may still complete afterwards. */
  private boolean closed;

  SessionListener(
      Session session, int number, HostAddress address, int backlog, ConnectionSettings settings) {
    this.session = session;
    this.number = number;
    this.address = address;
    this.backlog = backlog;
    this.settings = settings;
    this.openedAt = session.engine().tcp().now();
  }

  void open(int port) throws RequestRefusedException {
    TcpStack tcp = session.engine().tcp();
    int first = port == 0 ? FIRST_EPHEMERAL_PORT : port;
    int last = port == 0 ? LAST_PORT : port;
    for (int each = first; listener == null && each <= last; each++) {
      if (port != 0 || tcp.mayChoose(each)) {
        listener = listen(tcp, each);
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

  /** Listens at a port; null if it is in use. */
  private TcpListener listen(TcpStack tcp, int port) {
    try {
      return tcp.listen(port, this::onIncoming);
    } catch (IllegalStateException inUse) {
      return null;
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

  /** Whether it accepts connections to one of the interface's addresses. */
  private boolean isFor(HostAddress local) {
    if (!ControlAddresses.isAny(address)) {
      return address.equals(local);
    }
    return address instanceof Ipv6Address || local instanceof Ipv4Address;
  }

  private StreamHandler onIncoming(TcpConnection stream, HostAddress from, int port) {
    if (closed || !isFor(stream.localAddress())) {
      return null;
    }
    if (!session.hasRoomForConnection()) {
      countRefused();
      return null;
    }
    SessionConnection connection;
    try {
      connection = SessionConnection.incoming(session, this, stream);
    } catch (RequestRefusedException e) {
      countRefused();
      ConnectionEnds ends = new ConnectionEnds(stream.localAddress(), port(), from, port);
      session.failed(ends, e.getMessage());
      return null;
    }
    starting.add(connection);
    session.engine().beginStartup(from, connection);
    return connection.startup();
  }

  /**
   * Handles the arrival of a peer's MPA Request.
   *
   * @return whether it may wait for the program's answer
   */
  boolean requested(PeerRequest request) {
    endStartup(request.connection());
    return unanswered.size() < backlog
        && session.events().hasRoomForRequest(number, backlog)
        && unanswered.add(request);
  }

  /** Counts a request sent to the program. */
  void countRequested() {
    requested++;
  }

  /** Counts a refused peer. */
  void countRefused() {
    refused++;
    session.engine().counters().startupsRefused++;
  }

  /** The listener at this moment. */
  ListenerStatus status() {
    return new ListenerStatus(
        number,
        address,
        port(),
        session.engine().tcp().now() - openedAt,
        backlog,
        unanswered.size(),
        starting.size(),
        requested,
        refused);
  }

  private void endStartup(SessionConnection connection) {
    if (starting.remove(connection)) {
      session.engine().endStartup(connection.ends().remoteAddress(), connection);
    }
  }

  /** Whether the program must still answer. */
  boolean awaits(PeerRequest request) {
    return unanswered.contains(request);
  }

  /** Removes a request that the program has answered, or whose connection has ended. */
  void answered(PeerRequest request) {
    endStartup(request.connection());
    unanswered.remove(request);
  }

  void close() {
    closed = true;
    listener.close();
    SessionReceiveQueue receives = session.receiveQueues().get(settings.receiveQueue());
    if (receives != null) {
      receives.release();
    }
    List.copyOf(starting).forEach(SessionConnection::abortSilently);
    List.copyOf(unanswered).forEach(PeerRequest::decline);
  }

  /** Goes on with the listener of another stack. */
  void goOn(TcpStack tcp) {
    listener = tcp.listener(listener.port());
    listener.resume(this::onIncoming);
  }
}
