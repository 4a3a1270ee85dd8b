package org.rddp.ip;

import java.util.function.Consumer;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ipv6;

/** IPv6 of one interface: connects its parts with the rest of the stack. */
final class Ipv6Layer {
  private final LocalAddresses addresses;
  private final Ipv6Paths paths;
  private final Ipv6Output output;
  private final NeighbourDiscovery discovery;
  private final Ipv6Routes routes;
  private final ListenerReports reports;
  private final Ipv6Input input;

  /**
   * Creates IPv6 on a link.
   *
   * @param seed keys the table of paths; random
   */
  Ipv6Layer(IpContext context, Ipv6Network network, long seed) {
    if (context.mtu < Ipv6.LEAST_MTU) {
      throw new IllegalArgumentException(
          "IPv6 needs an MTU of " + Ipv6.LEAST_MTU + " octets, and this one is " + context.mtu);
    }
    addresses =
        new LocalAddresses(network, context.device.macAddress(), context.member.usableAddresses());
    paths = new Ipv6Paths(context, this, seed);
    output = new Ipv6Output(context.link, addresses, context.loop, context.counters);
    discovery =
        new NeighbourDiscovery(context.link, addresses, output, context.counters, context.member);
    routes = new Ipv6Routes(context, network, this);
    reports = new ListenerReports(context.pool, addresses, output, context.counters);
    input = new Ipv6Input(context, this, new Icmpv6Input(context, this));
  }

  /** Our addresses. */
  LocalAddresses addresses() {
    return addresses;
  }

  /** The paths by their numbers. */
  Ipv6Paths paths() {
    return paths;
  }

  /** The sender of packets. */
  Ipv6Output output() {
    return output;
  }

  /** The receiver of packets. */
  Ipv6Input input() {
    return input;
  }

  /** The hosts of the link. */
  NeighbourDiscovery discovery() {
    return discovery;
  }

  /** The reports of our groups. */
  ListenerReports reports() {
    return reports;
  }

  /** Whether frames to a MAC address are for us. */
  boolean joined(long macAddress) {
    return addresses.joined(macAddress);
  }

  /** The path to a remote address. */
  Ipv6Path path(Ipv6Address remote) {
    return paths.get(remote.high(), remote.low(), local(remote));
  }

  private int local(Ipv6Address remote) {
    int ours = addresses.find(remote.high(), remote.low());
    return ours >= 0 ? ours : LocalAddresses.sourceFor(remote.high());
  }

  /** The number of the path to a packet's source; 0 if it has none. */
  int numberOfSource(long packet) {
    int local = addresses.find(Ipv6.destinationHigh(packet), Ipv6.destinationLow(packet));
    Ipv6Path path =
        local < 0 ? null : paths.find(Ipv6.sourceHigh(packet), Ipv6.sourceLow(packet), local);
    return path == null ? 0 : path.number();
  }

  /** The next hops. */
  Ipv6Routes routes() {
    return routes;
  }

  /** See {@link IpLayer#reportTo}. */
  void reportTo(Consumer<String> receiver) {
    discovery.reportTo(receiver);
    routes.reportTo(receiver);
  }

  /** See {@link Path#send}. */
  void send(
      Ipv6Path path,
      int protocol,
      long packet,
      long payload,
      int length,
      int trafficClass,
      long now) {
    Neighbour hop = routes.nextHop(path, now);
    output.send(
        discovery.neighbours(), hop, path, protocol, packet, payload, length, trafficClass, now);
  }

  /** Checks our addresses, and announces them and their groups. */
  void announce(long now) {
    addresses.suspend();
    reports.start(now);
    discovery.startChecks(now);
  }

  /** Suspends the addresses until they have been checked, and asks for routers. */
  void start(long now) {
    addresses.suspendUnchecked();
    routes.start(now);
  }

  /** Runs the timers that are due; returns how many fired. */
  int advance(long now) {
    return discovery.advance(now) + reports.advance(now) + routes.advance(now);
  }

  /** When the next timer is due. */
  long nextDeadline() {
    long first = Math.min(discovery.nextDeadline(), reports.nextDeadline());
    return Math.min(first, routes.nextDeadline());
  }

  /** Releases the packets that wait. */
  void close() {
    discovery.neighbours().close();
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    discovery.transfer(snapshot);
    paths.transfer(snapshot, discovery.neighbours());
    routes.transfer(snapshot);
    reports.transfer(snapshot);
  }

  /** Packets that wait for a MAC address. */
  int pending() {
    return discovery.neighbours().pending();
  }
}
