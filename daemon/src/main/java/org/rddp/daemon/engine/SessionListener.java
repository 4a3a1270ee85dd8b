package org.rddp.daemon.engine;

import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Path;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.Acceptor;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpListener;
import org.rddp.tcp.TcpStack;

/**
 * A port at which a program accepts connections. The program is told of a peer after TCP's
 * handshake and MPA's request. Engine thread only.
 */
public final class SessionListener implements Acceptor {
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

  private long openedAt;
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
    useReceives();
  }

  private void useReceives() {
    SessionReceiveQueue receives = session.receiveQueues().get(settings.receiveQueue());
    if (receives != null) {
      receives.use();
    }
  }

  /** Listens at a port; null if it is in use. */
  private TcpListener listen(TcpStack tcp, int port) {
    try {
      return tcp.listen(port, this);
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

  @Override
  public boolean isFor(Path path) {
    return ControlAddresses.isAny(address)
        ? address instanceof Ipv6Address || !path.isIpv6()
        : address.equals(path.ours());
  }

  @Override
  public StreamHandler onIncoming(TcpConnection stream, HostAddress from, int port) {
    if (closed) {
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

  /**
   * Transfers a listener and the connections whose Request has not come.
   *
   * @param written the listener; null if it is read
   */
  static SessionListener transfer(
      Snapshot snapshot,
      Session session,
      References<TcpConnection> transports,
      SessionListener written) {
    boolean reads = written == null;
    snapshot.begin(SessionListener.class);
    int number = snapshot.number("number", reads ? 0 : written.number);
    HostAddress address = HostAddress.transfer(snapshot, reads ? null : written.address);
    int backlog = snapshot.number("backlog", reads ? 0 : written.backlog);
    ConnectionSettings settings =
        SessionConnection.transferSettings(snapshot, session, reads ? null : written.settings);
    SessionListener listener =
        reads ? new SessionListener(session, number, address, backlog, settings) : written;
    listener.transfer(snapshot, transports);
    snapshot.end();
    return listener;
  }

  private void transfer(Snapshot snapshot, References<TcpConnection> transports) {
    openedAt = snapshot.number("openedAt", openedAt);
    requested = snapshot.number("requested", requested);
    refused = snapshot.number("refused", refused);
    int port = snapshot.number("listener", listener == null ? 0 : listener.port());
    if (snapshot.reads()) {
      resume(snapshot, port);
    }
    Iterator<SessionConnection> written = List.copyOf(starting).iterator();
    while (snapshot.flag("starting", written.hasNext())) {
      SessionConnection connection = snapshot.reads() ? null : written.next();
      connection = SessionConnection.transfer(snapshot, session, 0, transports, connection);
      if (snapshot.reads()) {
        PeerRequest ignored = connection.asks(this);
        starting.add(connection);
      }
    }
  }

  private void resume(Snapshot snapshot, int port) {
    listener = session.engine().tcp().listener(port);
    if (listener == null) {
      throw snapshot.wrong("TCP does not listen at port " + port);
    }
    listener.resume(this);
    useReceives();
  }

  /** Transfers which of the session's connections wait for the program's answer. */
  void transferUnanswered(Snapshot snapshot, References<SessionConnection> connections) {
    snapshot.begin(SessionListener.class);
    Iterator<PeerRequest> written = List.copyOf(unanswered).iterator();
    while (snapshot.flag("unanswered", written.hasNext())) {
      SessionConnection connection =
          connections.require(
              snapshot, "connection", snapshot.reads() ? null : written.next().connection());
      if (snapshot.reads()) {
        unanswered.add(connection.asks(this));
      }
    }
    snapshot.end();
  }

  /** Adds the connections whose Request has not come. */
  void addStarting(Collection<SessionConnection> all) {
    all.addAll(starting);
  }
}
