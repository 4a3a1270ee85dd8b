package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.List;
import org.rddp.client.types.Reason;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.tcp.TcpStack;

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

  /** They go on with the listeners of another stack. */
  void goOn(TcpStack tcp) {
    listeners.forEach(listener -> listener.goOn(tcp));
  }
}
