package org.rddp.simulation.programs;

import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.DaemonMessage;

/** Control calls of one end to its daemon: listen, connect, accept, reject, disconnect. */
final class ControlCalls {
  private static final long CONNECT_TIMEOUT = 7200_000_000_000L;
  private static final int BACKLOG = 8;

  private final ProgramEndpoint end;
  private int listener;
  private int connection;

  ControlCalls(ProgramEndpoint end) {
    this.end = end;
  }

  /** The connection's number, or 0 before there is one. */
  int connection() {
    return connection;
  }

  /** Whether a responder listens; an initiator need not. */
  boolean listened() {
    return end.initiator() || listener != 0;
  }

  private SimulatedProgram program() {
    return end.program();
  }

  /** Listens at a port. */
  void listen(int port) {
    program()
        .control(
            "a port",
            () -> {
              listener =
                  program()
                      .session()
                      .listen(Ipv6Address.UNSPECIFIED, port, BACKLOG, end.settings())
                      .number();
              return listener;
            },
            any -> {});
  }

  void closeListener() {
    int number = listener;
    program()
        .control(
            "the end of a listener",
            () -> {
              program().session().closeListener(number);
              return number;
            },
            any -> {});
  }

  /** Connects; {@code known} runs when the program knows the connection's number. */
  void connect(int port, byte[] privateData, Runnable known) {
    program()
        .control(
            "a connection",
            () -> {
              HostAddress address = end.hosts().server().connectAddress();
              connection =
                  program()
                      .session()
                      .connect(address, port, privateData, CONNECT_TIMEOUT, end.settings());
              return connection;
            },
            number -> known.run());
  }

  /** A request has arrived: the connection is ours if it came to our listener. */
  void adopt(DaemonMessage.ConnectionRequested requested) {
    if (listener != 0 && requested.listener() == listener && connection == 0) {
      connection = requested.connection();
    }
  }

  void accept() {
    control(() -> program().session().accept(connection, AcceptSettings.DEFAULTS, new byte[0]));
  }

  /** Rejects the request; {@code declined} runs in the engine, {@code known} in the program. */
  void reject(Runnable declined, Runnable known) {
    program()
        .control(
            () -> {
              program().session().reject(connection, new byte[0]);
              declined.run();
              return connection;
            },
            any -> known.run(),
            e -> end.verify(end.state().goneInEngine, "refused: " + e.getMessage()));
  }

  void disconnect(boolean graceful) {
    control(() -> program().session().disconnect(connection, graceful));
  }

  /** A call that is refused if the connection has just ended. */
  private void control(Refusable call) {
    program()
        .control(
            () -> {
              call.run();
              return connection;
            },
            any -> {},
            e -> {
              boolean late = e.reason() == Reason.NOT_FOUND || e.reason() == Reason.STATE;
              end.verify(late, "refused: " + e.getMessage());
            });
  }

  private interface Refusable {
    void run() throws RequestRefusedException;
  }
}
