package org.rddp.daemon.control;

import java.util.concurrent.TimeUnit;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.Introduction;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;

/** A program's requests about connections, which its engine carries out. */
final class ProgramConnections {
  private static final long MAX_CONNECT_TIMEOUT = TimeUnit.MINUTES.toNanos(10);

  private final ProgramSession program;
  private final ReservedPorts reservedPorts;

  ProgramConnections(ProgramSession program, ReservedPorts reservedPorts) {
    this.program = program;
    this.reservedPorts = reservedPorts;
  }

  void accept(Session session, ProgramMessage.Accept accept) throws RequestRefusedException {
    Introduction.checkNone(accept.privateData().toByteArray());
    program.onEngine(
        accept.request(),
        () -> {
          session.accept(
              accept.connection(), accept.settings(), accept.privateData().toByteArray());
          return new DaemonMessage.Done(accept.request());
        });
  }

  void reject(Session session, ProgramMessage.Reject reject) {
    program.onEngine(
        reject.request(),
        () -> {
          session.reject(reject.connection(), reject.privateData().toByteArray());
          return new DaemonMessage.Done(reject.request());
        });
  }

  void connect(Session session, ProgramMessage.Connect connect) throws RequestRefusedException {
    HostAddress local = program.daemonInterface().localAddress(connect.localAddress());
    HostAddress remote = ControlAddresses.host(connect.remoteAddress());
    if (!ControlAddresses.isAny(local) && local.getClass() != remote.getClass()) {
      throw new RequestRefusedException(
          Reason.INVALID, "no connection from %s to %s".formatted(local, remote));
    }
    if (connect.remotePort() < 1 || connect.remotePort() > 65535 || connect.timeoutMillis() < 1) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "connecting needs a port from 1 to 65535 and a timeout of at least 1 ms, not port %d and %d ms"
              .formatted(connect.remotePort(), connect.timeoutMillis()));
    }
    reservedPorts.checkConnect(connect.remotePort());
    Introduction.checkNone(connect.privateData().toByteArray());
    long timeout =
        Math.min(TimeUnit.MILLISECONDS.toNanos(connect.timeoutMillis()), MAX_CONNECT_TIMEOUT);
    program.onEngine(
        connect.request(),
        () -> {
          int connection =
              session.connect(
                  remote,
                  connect.remotePort(),
                  connect.privateData().toByteArray(),
                  timeout,
                  connect.settings());
          return new DaemonMessage.Connecting(connect.request(), connection);
        });
  }

  void disconnect(Session session, ProgramMessage.Disconnect disconnect) {
    int connection = disconnect.connection();
    program.onEngine(
        disconnect.request(),
        () -> {
          session.disconnect(connection, disconnect.graceful());
          return new DaemonMessage.Done(disconnect.request());
        });
  }
}
