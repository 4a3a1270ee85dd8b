package org.rddp.daemon.control;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.daemon.engine.SessionListener;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.snapshot.Snapshot;

/**
 * Carries out a program's requests to listen, and records its ports, at which no other process may
 * listen on any engine of the interface. Control thread only.
 */
final class ProgramListeners {
  private final ControlServer server;
  private final ProgramSession program;
  private final Quota listeners;

  /** Listeners, and requests for one, by port. */
  private final Map<Integer, Integer> claims = new HashMap<>();

  private final Map<Integer, Integer> portsByListener = new HashMap<>();

  ProgramListeners(ControlServer server, ProgramSession program, Quota listeners) {
    this.server = server;
    this.program = program;
    this.listeners = listeners;
  }

  /** Whether the program listens at a port, or asks to. */
  boolean claims(int port) {
    return claims.containsKey(port);
  }

  void listen(Session session, ProgramMessage.Listen listen) throws RequestRefusedException {
    if (listen.port() < 0 || listen.port() > 65535 || listen.backlog() < 1) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "listening needs a port from 0 to 65535 and a backlog of at least 1, not port %d and backlog %d"
              .formatted(listen.port(), listen.backlog()));
    }
    HostAddress at = program.daemonInterface().localAddress(listen.address());
    server.reservedPorts().checkListen(listen.port());
    PrivilegedPorts.check(program.process(), listen.port());
    server.checkPort(program, listen.port());
    listeners.take(1);
    claim(listen.port());
    program.onEngine(
        listen.request(),
        () -> {
          try {
            SessionListener listener =
                session.listen(at, listen.port(), listen.backlog(), listen.settings());
            int number = listener.number();
            int port = listener.port();
            program.onControl(() -> opened(number, listen.port(), port));
            return new DaemonMessage.Listening(listen.request(), number, answered(at), port);
          } catch (RequestRefusedException e) {
            program.onControl(() -> giveBack(listen.port()));
            throw e;
          }
        });
  }

  /** The listener's address for its program: one that peers can connect to. */
  private IpAddress answered(HostAddress at) {
    return ControlAddresses.isAny(at)
        ? program.daemonInterface().address()
        : ControlAddresses.of(at);
  }

  void close(Session session, ProgramMessage.CloseListener close) {
    program.onEngine(
        close.request(),
        () -> {
          session.closeListener(close.listener());
          program.onControl(() -> giveBack(portsByListener.remove(close.listener())));
          return new DaemonMessage.Done(close.request());
        });
  }

  /** Transfers which ports are claimed; when read, none is before. While no request is in work. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(ProgramListeners.class);
    Iterator<Integer> written = portsByListener.keySet().stream().sorted().iterator();
    while (snapshot.flag("portsByListener", written.hasNext())) {
      int listener = snapshot.number("listener", snapshot.reads() ? 0 : written.next());
      int port = snapshot.number("port", portsByListener.getOrDefault(listener, 0), 1, 65535);
      if (snapshot.reads()) {
        if (portsByListener.put(listener, port) != null) {
          throw snapshot.wrong("a listener is there twice");
        }
        claim(port);
        listeners.add(1);
      }
    }
    snapshot.end();
  }

  /** Gives all listeners back to the quota. */
  void end() {
    listeners.giveAll();
  }

  /**
   * Records an opened listener.
   *
   * @param asked 0: any port
   */
  private void opened(int listener, int asked, int port) {
    unclaim(asked);
    claim(port);
    portsByListener.put(listener, port);
  }

  private void giveBack(int port) {
    listeners.give(1);
    unclaim(port);
  }

  private void claim(int port) {
    claims.merge(port, 1, Integer::sum);
  }

  private void unclaim(int port) {
    claims.computeIfPresent(port, (each, count) -> count == 1 ? null : count - 1);
  }
}
