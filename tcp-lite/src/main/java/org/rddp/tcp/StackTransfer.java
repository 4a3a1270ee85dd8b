package org.rddp.tcp;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.rddp.group.StackMember;
import org.rddp.ip.Path;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.handshake.PeerAccount;
import org.rddp.tcp.storage.ConnectionEntry;
import org.rddp.tcp.storage.TcpConnectionTable;

/**
 * Transfers what the connections of a stack share, its listeners and its connections. Counts over
 * connections, such as those of a peer, are not transferred: they are counted again as the
 * connections are made.
 */
final class StackTransfer {
  private static final int PORTS = 65535;

  private final StackContext context;
  private final Snapshot snapshot;

  /**
   * Creates a transfer.
   *
   * @param context of the stack; if the snapshot is read, without listeners and connections
   */
  StackTransfer(StackContext context, Snapshot snapshot) {
    this.context = context;
    this.snapshot = snapshot;
  }

  /** Transfers the clock, IP, keys, limits and counters. */
  void shared() {
    snapshot.begin(StackContext.class);
    long written = snapshot.number("now", context.now);
    if (written > context.now) {
      throw snapshot.wrong("it is from a later time, or times are of another clock");
    }
    context.paces = snapshot.flag("paces", context.paces);
    context.ip.transfer(snapshot);
    context.secrets.transfer(snapshot);
    context.challenges.transfer(snapshot);
    context.handshake.transfer(snapshot);
    context.connections.transfer(snapshot);
    snapshot.counters(context.counters);
    snapshot.counters(context.counters.loss);
    snapshot.end();
  }

  /**
   * Transfers the listeners and the connections with their timers; returns the connections, in the
   * order in which they are written.
   */
  List<TcpConnection> connections() {
    References<TcpListener> listeners = new References<>(listeners());
    List<TcpConnection> written = context.connections.inOrder();
    int count = snapshot.number("connections", written.size(), 0, Integer.MAX_VALUE);
    List<TcpConnection> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(connection(snapshot.reads() ? null : written.get(i), listeners));
    }
    context.wheel.transfer(snapshot, new References<>(all));
    context.flushQueue.transfer(snapshot, new References<>(all));
    return all;
  }

  private List<TcpListener> listeners() {
    List<TcpListener> written = listenersInUse();
    int count = snapshot.number("listeners", written.size(), 0, Integer.MAX_VALUE);
    List<TcpListener> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(listener(snapshot.reads() ? null : written.get(i)));
    }
    return all;
  }

  /** The open listeners, and closed ones that have accepted connections. */
  private List<TcpListener> listenersInUse() {
    Set<TcpListener> used = new LinkedHashSet<>(context.listeners.values());
    for (TcpConnection each : context.connections.inOrder()) {
      if (each.listener != null) {
        used.add(each.listener);
      }
    }
    return List.copyOf(used);
  }

  private TcpListener listener(TcpListener written) {
    snapshot.begin(TcpListener.class);
    int port = snapshot.number("port", written == null ? 1 : written.port(), 1, PORTS);
    boolean shared = snapshot.flag("shared", written != null && written.shared());
    boolean closed = snapshot.flag("closed", written != null && written.closed());
    TcpListener listener = written == null ? create(port, shared, closed) : written;
    listener.backlog.transfer(snapshot);
    snapshot.end();
    return listener;
  }

  private TcpListener create(int port, boolean shared, boolean closed) {
    int backlog = context.settings.backlog();
    TcpListener listener =
        new TcpListener(context.listeners, context.member, port, shared, null, backlog);
    if (closed) {
      listener.close();
    } else if (context.listeners.putIfAbsent(port, listener) == null) {
      context.member.listen(port);
    } else {
      throw snapshot.wrong("two listeners have port " + port);
    }
    return listener;
  }

  private TcpConnection connection(TcpConnection written, References<TcpListener> listeners) {
    boolean reads = snapshot.reads();
    snapshot.begin(ConnectionEntry.class);
    long key = snapshot.number("key", reads ? 0 : written.key);
    snapshot.end();
    TcpListener listener =
        listeners.transfer(snapshot, "listener", reads ? null : written.listener);
    TcpConnection connection = reads ? create(key, listener) : written;
    connection.transfer(snapshot);
    if (reads) {
      count(connection);
    }
    return connection;
  }

  private TcpConnection create(long key, TcpListener listener) {
    Path path = context.ip.path(snapshot, TcpConnectionTable.number(key));
    PeerAccount peer = context.peers.addConnection(path);
    if (peer == null || context.connections.get(key) != null) {
      throw snapshot.wrong("a connection has no next hop, or is there twice");
    }
    TcpConnection connection = new TcpConnection(context, key, peer, listener, null, 0);
    context.connections.add(connection);
    return connection;
  }

  /** Counts a connection as the handshake or the port that it is. */
  private void count(TcpConnection connection) {
    int port = connection.localPort();
    if (connection.listener == null) {
      long remote = connection.path().hash();
      if (!context.member.claim(context.member.slot(remote, connection.remotePort(), port))) {
        throw snapshot.wrong("another stack has a connection from port " + port);
      }
    } else if (connection.state() == TcpState.SYN_RECEIVED) {
      connection.listener.backlog.add();
      connection.peer.beginHandshake();
    }
    if (connection.listener != null || port < StackMember.FIRST_EPHEMERAL_PORT) {
      context.member.own(port);
    }
  }
}
