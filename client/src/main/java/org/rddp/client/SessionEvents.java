package org.rddp.client;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SessionLimits;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.linux.EventFd;

/**
 * Dispatches the daemon's events to the connection, listener or receive queue concerned, and wakes
 * the program. Called on the control channel's thread, except for adding and removing listeners.
 */
final class SessionEvents implements ControlChannel.Events {
  private final Rddp session;
  private final ConnectionTable connections;
  private final Map<Integer, Listener> listeners = new ConcurrentHashMap<>();
  private final NumberedObjects<SharedReceiveQueue> receiveQueues;
  private final EventFd wake;
  private final List<Connection> lost = new ArrayList<>();
  private volatile SessionLimits limits;

  /** Set before the daemon is asked for its events. */
  private volatile KeyExchangeHandler keyExchange;

  /**
   * Creates the dispatcher of a session.
   *
   * @param wake signalled after each event
   */
  SessionEvents(
      Rddp session,
      ConnectionTable connections,
      NumberedObjects<SharedReceiveQueue> receiveQueues,
      EventFd wake) {
    this.session = session;
    this.connections = connections;
    this.receiveQueues = receiveQueues;
    this.wake = wake;
  }

  /** Sets the limits for new connections; call before the first listener is added. */
  void limits(SessionLimits daemons) {
    limits = daemons;
  }

  /** Sets the receiver of the events of a key exchange. */
  void keyExchange(KeyExchangeHandler handler) {
    keyExchange = handler;
  }

  Collection<Listener> listeners() {
    return listeners.values();
  }

  /** Connections that have ended with the daemon; call after the channel's thread has ended. */
  List<Connection> lost() {
    return lost;
  }

  void add(Listener listener) {
    listeners.put(listener.id(), listener);
  }

  void remove(Listener listener) {
    listeners.remove(listener.id(), listener);
  }

  @Override
  public void onEvent(DaemonMessage event) {
    switch (event) {
      case DaemonMessage.ConnectionRequested requested -> onRequested(requested);
      case DaemonMessage.Established established -> {
        ConnectionState life = life(established.connection());
        if (life != null) {
          life.onEstablished(established);
        }
      }
      case DaemonMessage.Rejected rejected ->
          onEnd(
              rejected.connection(),
              Reason.REFUSED,
              0,
              "rejected by the peer",
              peer ->
                  new ConnectionRejectedException(
                      peer, rejected.privateData(), rejected.startup()));
      case DaemonMessage.Failed failed -> {
        if (!dropRequest(failed.connection())) {
          onEnd(failed.connection(), failed.reason(), failed.detail(), failed.text());
        }
      }
      case DaemonMessage.Closed closed ->
          onEnd(closed.connection(), closed.reason(), closed.detail(), closed.text());
      case DaemonMessage.PeerClosed half -> {
        ConnectionState life = life(half.connection());
        if (life != null) {
          life.onPeerClosed();
        }
      }
      case DaemonMessage.StreamFailed failed -> {
        ConnectionState life = life(failed.connection());
        if (life != null) {
          life.onStreamFailed(failed);
        }
      }
      case DaemonMessage.ReceiveQueueLimit limit -> {
        SharedReceiveQueue queue = receiveQueues.get(limit.queue());
        if (queue != null) {
          queue.onLimit();
        }
      }
      case DaemonMessage.KeyDatagramReceived received ->
          keyExchange.onDatagram(
              InetAddresses.address(received.local()),
              InetAddresses.address(received.remote()),
              received.datagram().octets());
      case DaemonMessage.AssociationNeeded needed ->
          keyExchange.onNeed(
              InetAddresses.address(needed.local(), needed.localPort()),
              InetAddresses.address(needed.remote(), needed.remotePort()));
      default -> event.closeDescriptors();
    }
    wake.signal();
  }

  private void onRequested(DaemonMessage.ConnectionRequested requested) {
    Listener listener = listeners.get(requested.listener());
    if (listener == null) {
      return; // it has been closed, which rejects the request
    }
    Connection connection =
        new Connection(session, limits, requested.connection(), listener.options());
    connection.state().onRequested(requested);
    connections.add(connection);
    listener.onRequested(new IncomingConnection(connection));
  }

  /** Drops a connection request that has ended before the program has taken it. */
  private boolean dropRequest(int connection) {
    boolean dropped = listeners.values().stream().anyMatch(each -> each.drop(connection));
    if (dropped) {
      connections.remove(connection);
    }
    return dropped;
  }

  private ConnectionState life(int connection) {
    Connection known = connections.get(connection);
    return known == null ? null : known.state();
  }

  private void onEnd(int connection, Reason reason, int detail, String text) {
    onEnd(
        connection,
        reason,
        detail,
        text,
        peer -> new ConnectionFailedException(peer, reason, detail, text));
  }

  private void onEnd(
      int connection,
      Reason reason,
      int detail,
      String text,
      Function<InetSocketAddress, RddpException> why) {
    ConnectionState life = life(connection);
    if (life != null) {
      life.onEnd(reason, detail, text, why.apply(life.remoteAddress()));
    }
  }

  @Override
  public void onLost(SessionLostException why) {
    for (Connection connection : connections.all()) {
      if (connection != null) {
        if (!connection.state().isClosed()) {
          lost.add(connection);
        }
        connection.state().onEnd(Reason.STOPPING, 0, why.getMessage(), why);
      }
    }
    listeners.values().forEach(Listener::onLost);
    wake.signal();
  }
}
