package org.rddp.daemon.control;

import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.SessionOwner;
import org.rddp.device.CapturePoint;
import org.rddp.ip.Ipv4Address;
import org.rddp.ipc.linux.PeerCredentials;

/**
 * An interface of the daemon that programs choose by name.
 *
 * @param name name in the configuration
 * @param engine engine of the interface
 * @param connections most connections at a time
 * @param capture source of captured frames
 */
public record DaemonInterface(String name, Engine engine, int connections, CapturePoint capture) {
  /** The owner of a program's session on this interface. */
  SessionOwner owner(PeerCredentials peer, Limits limits) {
    return new SessionOwner(
        peer.uid(),
        peer.pid(),
        (int) Limits.share(connections, limits.userShare()),
        (int) Limits.share(connections, limits.processShare()));
  }

  /** Refuses an address that is neither 0 nor the interface's. */
  void checkLocalAddress(int address) throws RequestRefusedException {
    if (address != 0 && address != engine.address()) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE,
          "the interface %s has the address %s, not %s"
              .formatted(name, new Ipv4Address(engine.address()), new Ipv4Address(address)));
    }
  }
}
