package org.rddp.daemon.control;

import static java.util.stream.Collectors.joining;

import java.util.List;
import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.SessionOwner;
import org.rddp.device.CapturePoint;
import org.rddp.group.SharedCounts;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
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
 * @param heldMemory octets of memory for held messages of the engine
 * @param capture source of captured frames
 * @param entry what programs are told of it
 */
public record InterfaceEngine(
    String name,
    Engine engine,
    int connections,
    SharedCounts owned,
    long heldMemory,
    CapturePoint capture,
    InterfaceEntry entry) {
  /** The owner of a program's session on this interface. */
  SessionOwner owner(PeerCredentials peer, Limits limits) {
    return new SessionOwner(
        peer.uid(),
        peer.pid(),
        (int) Limits.share(connections, limits.userShare()),
        (int) Limits.share(connections, limits.processShare()),
        owned,
        Limits.share(heldMemory, limits.userShare()),
        Limits.share(heldMemory, limits.processShare()));
  }

  /**
   * Our address that a program names; refuses one that is neither the interface's nor stands for
   * any of them.
   */
  HostAddress localAddress(IpAddress local) throws RequestRefusedException {
    HostAddress address = ControlAddresses.host(local);
    if (ControlAddresses.isAny(address)) {
      requireFamily(address);
    } else if (!addresses().contains(address)) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE,
          "the interface %s has the %s %s, not %s"
              .formatted(
                  name,
                  addresses().size() == 1 ? "address" : "addresses",
                  addresses().stream().map(HostAddress::toString).collect(joining(", ")),
                  address));
    }
    return address;
  }

  /** {@code ::} stands for the addresses of both families, {@code 0.0.0.0} for that of IPv4. */
  private void requireFamily(HostAddress any) throws RequestRefusedException {
    if (any instanceof Ipv4Address && engine.address().ipv4().isEmpty()) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE,
          "the interface %s has no IPv4 address; :: stands for its addresses".formatted(name));
    }
  }

  private List<HostAddress> addresses() {
    return engine.address().all(entry.mac());
  }

  /** The address that programs are told of: that of IPv4, or of IPv6 if there is none. */
  IpAddress address() {
    return ControlAddresses.of(engine.address().first());
  }
}
