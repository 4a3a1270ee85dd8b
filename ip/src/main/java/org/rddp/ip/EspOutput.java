package org.rddp.ip;

import static org.rddp.ip.TrafficSelector.NO_PORT;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.rddp.device.PacketPool;
import org.rddp.ip.esp.EspSuite;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Esp;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.Udp;

/**
 * Sends packets of an interface that has a security policy: in clear, or sealed in another packet
 * (RFC 4303 section 3.3). The packet of the transport stays as it is, for retransmission, and is
 * sealed anew each time.
 */
final class EspOutput {
  /** Returned by {@link #seal}: the packet was dropped. */
  private static final long DROPPED = 0;

  /** Returned by {@link #seal}: the packet was dropped for want of an association. */
  private static final long NO_ASSOCIATION = -1;

  /** The most datagrams of IKE that wait for MAC addresses. */
  private static final int MOST_WAITING = 64;

  private final IpSecurity security;
  private final SecurityPolicy policy;
  private final EspCounters counters;
  private final PacketPool pool;
  private final PlainCapture plain;

  /** The neighbours that datagrams of IKE were made to wait for, one for each datagram. */
  private final Queue<Neighbour> waiting = new ArrayDeque<>();

  /** The path of the sealed packet, its ESP header and its octets. */
  private Path outer;

  private long sealed;
  private int sealedLength;
  private long now;
  private IpLayer ip;

  EspOutput(IpSecurity security, PacketPool pool, PlainCapture plain) {
    this.security = security;
    this.pool = pool;
    this.plain = plain;
    policy = security.policy();
    counters = security.counters();
  }

  /** Begins a turn at a time in ns. */
  void begin(long time) {
    now = time;
    security.refresh();
  }

  /** See {@link Path#send}. */
  boolean send(Path path, long packet, long payload, int length, int trafficClass, long time) {
    now = time;
    PolicyAction action = action(path, Ipv4.PROTOCOL_TCP, payload);
    if (action == PolicyAction.BYPASS) {
      path.transmit(Ipv4.PROTOCOL_TCP, packet, payload, length, trafficClass, now);
      return true;
    }
    long copy = seal(action, path, Ipv4.PROTOCOL_TCP, payload, length, trafficClass);
    pool.release(packet);
    if (copy > 0) {
      outer.transmit(Esp.PROTOCOL, copy, sealed, sealedLength, trafficClass, now);
    }
    return copy != NO_ASSOCIATION;
  }

  /** See {@link Path#reply}. */
  void reply(
      Path path,
      int protocol,
      long packet,
      long payload,
      int length,
      int trafficClass,
      long macAddress) {
    PolicyAction action = action(path, protocol, payload);
    if (action == PolicyAction.BYPASS) {
      path.transmitTo(protocol, packet, payload, length, trafficClass, macAddress);
      return;
    }
    long copy = seal(action, path, protocol, payload, length, trafficClass);
    if (copy > 0) {
      outer.transmitTo(Esp.PROTOCOL, copy, sealed, sealedLength, trafficClass, macAddress);
      pool.release(copy);
    }
  }

  /**
   * Sends a datagram of IKE in clear, from the address of ours that it comes from.
   *
   * @param datagram from the UDP header on
   * @throws IllegalArgumentException if it is not IKE's, is not from one of our addresses, or is
   *     too long
   * @throws IllegalStateException if there is no route, or no packet buffer
   */
  void exchange(HostAddress local, HostAddress remote, byte[] datagram, long time) {
    Path path = ip.path(remote);
    if (path == null || path.toUs() || !path.ours().equals(local)) {
      throw new IllegalArgumentException("IKE to %s is not from %s here".formatted(remote, local));
    }
    if (datagram.length + path.header() > path.mtu()) {
      throw new IllegalArgumentException(
          "a datagram of %d octets of UDP is too long for packets of %d: the daemon of IKE must make fragments itself (RFC 7383)"
              .formatted(datagram.length, path.mtu()));
    }
    long packet = pool.allocate();
    if (packet == 0) {
      throw new IllegalStateException("no packet buffer is free");
    }
    long payload = pool.address(packet);
    Memory.copy(datagram, 0, payload, datagram.length);
    if (datagram.length < Udp.HEADER
        || !Udp.isIke(payload, datagram.length, Udp.sourcePort(payload))) {
      pool.release(packet);
      throw new IllegalArgumentException("not a datagram of IKE from port 500 or 4500");
    }
    if (!path.open()) {
      pool.release(packet);
      throw new IllegalStateException("there is no route to " + remote);
    }
    Neighbour hop = path.hop;
    path.transmit(Udp.PROTOCOL, packet, payload, datagram.length, Ipv4.NOT_ECT, time);
    path.close();
    if (!hop.resolved()) {
      waiting.add(hop);
      if (waiting.size() > MOST_WAITING) {
        forgetWaiting(path.context.counters);
      }
    }
  }

  /**
   * Drops what has waited longest, so that answers to hosts that somebody has invented take up
   * neither the packets nor the table of neighbours, which forgets who has no users.
   */
  private void forgetWaiting(IpCounters ofIp) {
    Neighbour oldest = waiting.remove();
    while (!oldest.used() && oldest.pending() > 0) {
      pool.release(oldest.next());
      ofIp.unresolved++;
    }
  }

  /** Whether a packet without ports may be sent to an address in clear. */
  boolean mayBeClear(long high, long low) {
    return policy.action(high, low, Ipv4.PROTOCOL_ICMP, NO_PORT, NO_PORT) == PolicyAction.BYPASS;
  }

  /** See {@link Path#secures}. */
  boolean requires(Path path, int localPort, int remotePort) {
    return action(path, Ipv4.PROTOCOL_TCP, localPort, remotePort) == PolicyAction.REQUIRE;
  }

  /** See {@link Path#carriesTunnel}. */
  boolean hasTunnel(Path path) {
    return security.outbound().stream().anyMatch(each -> each.tunnel == path);
  }

  private PolicyAction action(Path path, int protocol, long payload) {
    return action(path, protocol, localPort(protocol, payload), remotePort(protocol, payload));
  }

  /** What happens to a packet; what we send to ourselves never leaves. */
  private PolicyAction action(Path path, int protocol, int localPort, int remotePort) {
    return path.toUs()
        ? PolicyAction.BYPASS
        : policy.action(path.high(), path.low(), protocol, localPort, remotePort);
  }

  private static int localPort(int protocol, long payload) {
    return protocol == Ipv4.PROTOCOL_TCP ? Tcp.sourcePort(payload) : NO_PORT;
  }

  private static int remotePort(int protocol, long payload) {
    return protocol == Ipv4.PROTOCOL_TCP ? Tcp.destinationPort(payload) : NO_PORT;
  }

  /**
   * Seals a packet into another one; returns {@link #DROPPED} or {@link #NO_ASSOCIATION}, and
   * counts why, if that is impossible.
   */
  private long seal(
      PolicyAction action, Path path, int protocol, long payload, int length, int trafficClass) {
    if (action == PolicyAction.DISCARD) {
      counters.discarded++;
      return DROPPED;
    }
    OutboundAssociation association = association(path, protocol, payload);
    if (association == null) {
      // MPA-9.4-03, DDP-8.4.2-06, RDMAP-8.2.2-06: "as a reason for tearing down"
      counters.noAssociation++;
      security.need(path, localPort(protocol, payload), remotePort(protocol, payload), now);
      return NO_ASSOCIATION;
    }
    int inner = 0;
    int next = protocol;
    outer = path; // DDP-8.4.2-04, RDMAP-8.2.2-04
    // DDP-8.4.2-03, RDMAP-8.2.2-03: "MUST support ESP in tunnel mode"
    if (association.tunnel != null) {
      outer = association.tunnel;
      inner = path.header();
      next = path.isIpv6() ? Esp.NEXT_IPV6 : Esp.NEXT_IPV4;
      path.writeHeader(protocol, payload, length, trafficClass);
    }
    sealedLength = association.settings().suite().sealedLength(inner + length);
    if (sealedLength + outer.header() > outer.linkMtu()) {
      counters.tooLong++;
      return DROPPED;
    }
    long copy = pool.allocate();
    if (copy == 0) {
      counters.exhausted++;
      return DROPPED;
    }
    sealed = pool.address(copy);
    if (!association.seal(payload - inner, inner + length, next, sealed)) {
      // Another stack has taken the last number.
      counters.noAssociation++;
      pool.release(copy);
      return NO_ASSOCIATION;
    }
    counters.sealed++;
    plain.show(true, association.settings(), next, payload - inner, inner + length, now);
    return copy;
  }

  /** The newest association for a packet; null if there is none. */
  private OutboundAssociation association(Path path, int protocol, long payload) {
    int local = localPort(protocol, payload);
    int remote = remotePort(protocol, payload);
    for (OutboundAssociation each : candidates(path)) {
      TrafficSelector selector = each.settings().selector();
      if (selector.covers(path.high(), path.low(), protocol, local, remote)
          && !each.isOver(now)
          && isReachable(each)) {
        return each;
      }
    }
    return null;
  }

  /** The associations for a path's addresses, the newest first. */
  private OutboundAssociation[] candidates(Path path) {
    if (path.candidates == null || path.candidatesOf != security.generation()) {
      path.candidatesOf = security.generation();
      path.candidates =
          security
              .outbound(path.high(), path.low())
              .filter(each -> isFor(each.settings(), path))
              .toArray(OutboundAssociation[]::new);
    }
    return path.candidates;
  }

  /** Whether an association for a path's remote address is for ours, too. */
  private static boolean isFor(AssociationSettings settings, Path path) {
    return settings.tunnel() || settings.source().equals(path.ours());
  }

  /**
   * The octets behind the IP header in the largest packet of a path that can still be sealed (RFC
   * 4301 section 8.2.1). While there is no association, those that AES-GCM in transport mode
   * leaves.
   *
   * @param mtu octets of the largest packet that the path carries
   */
  int room(Path path, int mtu) {
    if (path.toUs() || !policy.mayRequire(path.high(), path.low())) {
      return mtu - path.header();
    }
    int least = Integer.MAX_VALUE;
    for (OutboundAssociation each : candidates(path)) {
      AssociationSettings settings = each.settings();
      int octets = settings.suite().largestPayload(outerMtu(each, mtu) - settings.header());
      least = Math.min(least, settings.tunnel() ? octets - path.header() : octets);
    }
    return least == Integer.MAX_VALUE
        ? EspSuite.AES128_GCM16.largestPayload(mtu - path.header())
        : least;
  }

  private static int outerMtu(OutboundAssociation association, int mtu) {
    return association.tunnel == null ? mtu : Math.min(mtu, association.tunnel.mtu());
  }

  /**
   * Begins to serve a stack, instead of another one whose paths are gone.
   *
   * @param layer finds paths
   */
  void connect(IpLayer layer) {
    ip = layer;
    security.serve(
        this,
        this::hasRoute,
        (added, changed) -> {
          added.forEach(this::isReachable);
          ip.onAssociations(path -> isToAny(changed, path));
        });
  }

  /** Transfers the security of this stack, after its paths, on which tunnels are. */
  void transfer(Snapshot snapshot) {
    security.transfer(snapshot);
    for (OutboundAssociation each : security.nextOutbound()) {
      snapshot.begin(OutboundAssociation.class);
      if (snapshot.flag("tunnel", each.tunnel != null)) {
        boolean ignored = isReachable(each);
      }
      snapshot.end();
    }
  }

  private static boolean isToAny(List<OutboundAssociation> associations, Path path) {
    for (OutboundAssociation each : associations) {
      if (each.settings().selector().remote().contains(path.high(), path.low())) {
        return true;
      }
    }
    return false;
  }

  private boolean hasRoute(HostAddress destination) {
    Path path = ip.path(destination);
    return path == null || path.reaches();
  }

  /** Whether packets can be sent on an association: opens a tunnel's path if a route has come. */
  private boolean isReachable(OutboundAssociation association) {
    if (!association.settings().tunnel() || association.tunnel != null) {
      return true;
    }
    Path path = ip.path(association.settings().destination());
    if (path.open()) {
      association.tunnel = path;
    }
    return association.tunnel != null;
  }
}
