package org.rddp.daemon.control;

import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.SessionOwner;
import org.rddp.device.CapturePoint;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.SharedCounts;
import org.rddp.ipc.control.InterfaceEntry;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.linux.PeerCredentials;

/**
 * An interface of the daemon that programs choose by name, or one of the engines that share it.
 *
 * @param name name in the configuration
 * @param engine engine of the interface; of several each is listed
 * @param connections most connections of the interface at a time
 * @param owned connections that the programs of the interface have, by user and by process
 * @param capture source of captured frames
 * @param entry what programs are told of it
 */
public record DaemonInterface(
    String name,
    Engine engine,
    int connections,
    SharedCounts owned,
    CapturePoint capture,
    InterfaceEntry entry) {
  /** The owner of a program's session on this interface. */
  SessionOwner owner(PeerCredentials peer, Limits limits) {
    return new SessionOwner(
        peer.uid(),
        peer.pid(),
        (int) Limits.share(connections, limits.userShare()),
        (int) Limits.share(connections, limits.processShare()),
        owned);
  }

  /** Refuses an address that is neither 0 nor the interface's. */
  void checkLocalAddress(IpAddress local) throws RequestRefusedException {
    int address = ipv4(local);
    if (address != 0 && address != engine.address()) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE,
          "the interface %s has the address %s, not %s"
              .formatted(name, new Ipv4Address(engine.address()), new Ipv4Address(address)));
    }
  }

  /** The 32 bits of an address; refuses other families. */
  static int ipv4(IpAddress address) throws RequestRefusedException {
    if (!address.isIpv4()) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "an address of the family %d; the daemon serves IPv4 only (family %d, scope 0, four octets and twelve zeros)"
              .formatted(address.family(), IpAddress.IPV4));
    }
    return address.bits();
  }
}
