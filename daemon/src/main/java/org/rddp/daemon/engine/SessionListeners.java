package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.rddp.client.types.Reason;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.TcpConnection;

/** The ports at which a program accepts connections. Engine thread only. */
final class SessionListeners {
  private final Session session;
  private final List<SessionListener> listeners = new ArrayList<>();
  private int nextNumber = 1;

  SessionListeners(Session session) {
    this.session = session;
  }

  /** Listens at a port, 0 for any: see {@link Session#listen}. */
  SessionListener open(HostAddress at, int port, int backlog, ConnectionSettings settings)
      throws RequestRefusedException {
    SessionListener listener = new SessionListener(session, nextNumber, at, backlog, settings);
    listener.open(port);
    nextNumber++;
    listeners.add(listener);
    return listener;
  }

  /** Closes the listener with that number. */
  void close(int number) throws RequestRefusedException {
    for (SessionListener listener : listeners) {
      if (listener.number() == number) {
        listener.close();
        listeners.remove(listener);
        return;
      }
    }
    throw new RequestRefusedException(Reason.NOT_FOUND, "no such listener in this session");
  }

  void closeAll() {
    listeners.forEach(SessionListener::close);
    listeners.clear();
  }

  int count() {
    return listeners.size();
  }

  /** The listeners at this moment; one program has few. */
  List<ListenerStatus> status() {
    return listeners.stream().map(SessionListener::status).toList();
  }

  /**
   * Transfers the listeners and the connections whose Request has not come; when read, there are
   * none before.
   */
  void transfer(Snapshot snapshot, References<TcpConnection> transports) {
    snapshot.begin(SessionListeners.class);
    nextNumber = snapshot.number("nextNumber", nextNumber);
    Iterator<SessionListener> written = List.copyOf(listeners).iterator();
    while (snapshot.flag("listeners", written.hasNext())) {
      SessionListener listener = snapshot.reads() ? null : written.next();
      listener = SessionListener.transfer(snapshot, session, transports, listener);
      if (snapshot.reads()) {
        listeners.add(listener);
      }
    }
    snapshot.end();
  }

  /** Transfers which connections wait for the program's answer. */
  void transferUnanswered(Snapshot snapshot, References<SessionConnection> connections) {
    for (SessionListener each : listeners) {
      each.transferUnanswered(snapshot, connections);
    }
  }

  /** The connections whose Request has not come. */
  List<SessionConnection> starting() {
    List<SessionConnection> all = new ArrayList<>();
    listeners.forEach(listener -> listener.addStarting(all));
    return all;
  }
}
