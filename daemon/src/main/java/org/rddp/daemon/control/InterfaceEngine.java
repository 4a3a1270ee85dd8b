package org.rddp.daemon.control;

import static java.util.stream.Collectors.joining;

import java.util.List;
import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.QueuePairNumbers;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.SessionOwner;
import org.rddp.group.SharedCounts;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ipc.control.InterfaceEntry;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.linux.PeerCredentials;

/**
 * An engine of an interface that programs choose by name.
 *
 * @param name name in the configuration
 * @param engine engine of the interface; there is one object for each
 * @param number of the engine among those of the interface, from 0
 * @param queuePairs the numbers of the interface's queue pairs
 * @param connections most connections of the interface at a time
 * @param owned connections of the interface's programs, by user and by process
 * @param heldMemory octets of memory for held messages of the engine
 * @param capture source of captured frames
 * @param entry its description for programs
 * @param socketsPort TCP port of octet streams; 0: none
 * @param requiresEsp whether everything that leaves is in ESP unless a rule says otherwise
 */
public record InterfaceEngine(
    String name,
    Engine engine,
    int number,
    QueuePairNumbers queuePairs,
    int connections,
    SharedCounts owned,
    long heldMemory,
    FrameCapture capture,
    InterfaceEntry entry,
    int socketsPort,
    boolean requiresEsp) {
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
   * Converts a local address that a program names; refuses one that is neither the interface's nor
   * a wildcard.
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

  /** Refuses {@code 0.0.0.0} without an IPv4 address; {@code ::} stands for both families. */
  private void requireFamily(HostAddress any) throws RequestRefusedException {
    if (any instanceof Ipv4Address && engine.address().ipv4().isEmpty()) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE,
          "the interface %s has no IPv4 address; :: stands for its addresses".formatted(name));
    }
  }

  /** Whether an address is the interface's. */
  boolean hasAddress(HostAddress address) {
    return addresses().contains(address);
  }

  private List<HostAddress> addresses() {
    return engine.address().all(entry.mac());
  }

  /** The address sent to programs: the IPv4 address, or the IPv6 address if there is none. */
  IpAddress address() {
    return ControlAddresses.of(engine.address().first());
  }
}
