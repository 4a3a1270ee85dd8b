package org.rddp.daemon.control;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.engine.RequestRefusedException;

/**
 * The ports at which daemons talk to each other for their programs. What comes from such a port of
 * a peer, or to it, is believed to be a daemon's, so no program listens there, or connects to one:
 * of any interface, since a peer's address may be another interface's, and at the usual number also
 * where no interface has it, since the peer's daemon may. Immutable.
 */
public final class ReservedPorts {
  /** The key of each port's configuration. */
  private final Map<Integer, String> keys = new TreeMap<>();

  private ReservedPorts() {}

  /** The ports of a daemon's interfaces, and the usual ones. */
  public static ReservedPorts of(List<InterfaceConfiguration> interfaces) {
    ReservedPorts ports = new ReservedPorts();
    ports.reserve(InterfaceConfiguration.QUEUE_PAIR_PORT, "queue-pair-port");
    ports.reserve(InterfaceConfiguration.SOCKETS_PORT, "sockets-port");
    for (InterfaceConfiguration each : interfaces) {
      ports.reserve(each.queuePairPort(), "queue-pair-port");
      ports.reserve(each.socketsPort(), "sockets-port");
    }
    return ports;
  }

  private void reserve(int port, String key) {
    if (port != 0) {
      keys.put(port, key);
    }
  }

  /** Refuses a connection of a program to such a port, at any address. */
  void checkConnect(int port) throws RequestRefusedException {
    if (keys.containsKey(port)) {
      throw new RequestRefusedException(
          Reason.PERMISSION,
          "only daemons connect to port %d (%s), for programs that connect by number or by sockets; connect to another port"
              .formatted(port, keys.get(port)));
    }
  }

  /** Refuses a program's listener at such a port. */
  void checkListen(int port) throws RequestRefusedException {
    if (keys.containsKey(port)) {
      throw new RequestRefusedException(
          Reason.ADDRESS_IN_USE,
          "only daemons listen at port %d (%s); listen at another".formatted(port, keys.get(port)));
    }
  }
}
