package org.rddp.ip;

import java.util.function.Consumer;
import org.rddp.group.StackMember;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;

/** IPv6 of one interface: its parts, and what the rest of the stack wants of them. */
final class Ipv6Layer {
  private final LocalAddresses addresses;
  private final Ipv6Paths paths;
  private final Ipv6Output output;
  private final NeighbourDiscovery discovery;
  private final Ipv6Routes routes;
  private final ListenerReports reports;
  private final Ipv6Input input;

  /**
   * IPv6 beside IPv4 on a link, with which it shares what is passed.
   *
   * @param mtu octets, at least {@link Ipv6#LEAST_MTU}
   */
  Ipv6Layer(
      EthernetLink link,
      Ipv6Network network,
      LocalAddresses addresses,
      Ipv6Paths paths,
      Loop loop,
      PathMtus pathMtus,
      Reassembly reassembly,
      HandOver handOver,
      ErrorLimit limit,
      IpCounters counters,
      TransportHandler transport,
      StackMember member,
      int mtu) {
    if (mtu < Ipv6.LEAST_MTU) {
      throw new IllegalArgumentException(
          "IPv6 needs an MTU of " + Ipv6.LEAST_MTU + " octets, and this one is " + mtu);
    }
    this.addresses = addresses;
    this.paths = paths;
    output = new Ipv6Output(link, addresses, loop, counters);
    discovery = new NeighbourDiscovery(link, addresses, output, counters, member);
    routes =
        new Ipv6Routes(
            network,
            addresses,
            paths,
            discovery.neighbours(),
            output,
            link,
            loop,
            pathMtus,
            counters,
            member);
    reports = new ListenerReports(link.pool(), addresses, output, counters);
    Icmpv6Errors errors = new Icmpv6Errors(output, link.pool(), addresses, counters, limit);
    Icmpv6Input icmp =
        new Icmpv6Input(
            output,
            link.pool(),
            addresses,
            paths,
            pathMtus,
            discovery,
            routes,
            reports,
            transport,
            counters);
    input =
        new Ipv6Input(
            link.pool(), addresses, paths, errors, icmp, reassembly, handOver, counters, transport);
  }

  /** The receiver of packets. */
  Ipv6Input input() {
    return input;
  }

  NeighbourDiscovery discovery() {
    return discovery;
  }

  /** Whether frames to a station concern us. */
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

  /** The number of the path that a packet to us has come by; 0 if it has none. */
  int numberOfSource(long packet) {
    int local = addresses.find(Ipv6.destinationHigh(packet), Ipv6.destinationLow(packet));
    Ipv6Path path =
        local < 0 ? null : paths.find(Ipv6.sourceHigh(packet), Ipv6.sourceLow(packet), local);
    return path == null ? 0 : path.number;
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

  /** See {@link IpLayer#send}. */
  void send(
      Neighbour neighbour,
      Ipv6Path path,
      long packet,
      long payload,
      int length,
      int ecn,
      long now) {
    Neighbour hop = routes.nextHop(neighbour, path, now);
    output.send(discovery.neighbours(), hop, path, packet, payload, length, ecn, now);
  }

  /** See {@link IpLayer#reply}. */
  void reply(Ipv6Path path, long packet, long payload, int length, long macAddress) {
    output.reply(path, packet, payload, length, Ipv4.PROTOCOL_TCP, macAddress);
  }

  /** Checks our addresses, and announces them and their groups. */
  void announce(long now) {
    addresses.suspend();
    reports.start(now);
    discovery.startChecks(now);
  }

  /** Waits until the addresses have been checked, and asks for routers. */
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
}
