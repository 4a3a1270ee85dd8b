package org.rddp.ip;

import java.util.function.Consumer;
import org.rddp.group.HandOverEntry;
import org.rddp.group.HandOverEntry.Kind;
import org.rddp.group.StackMember;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ndp;

/**
 * The next hops of paths (RFC 4861 section 5.2): hosts of the link, ourselves, or the configured
 * gateway. If the configuration trusts the link's routers: a router that advertises itself, or a
 * next hop from its redirects.
 */
final class Ipv6Routes {
  private final Ipv6Network network;
  private final LocalAddresses addresses;
  private final Ipv6Paths paths;
  private final Neighbours neighbours;
  private final Loop loop;
  private final IpCounters counters;
  private final StackMember member;

  /** The routers that advertise themselves; null if they are not trusted. */
  private final DefaultRouters routers;

  Ipv6Routes(IpContext context, Ipv6Network network, Ipv6Layer layer) {
    this.network = network;
    addresses = layer.addresses();
    paths = layer.paths();
    neighbours = layer.discovery().neighbours();
    loop = context.loop;
    counters = context.counters;
    member = context.member;
    RouterSolicitations solicitations =
        new RouterSolicitations(
            context.link, addresses, layer.output(), counters, member.isFirst());
    routers =
        network.advertised()
            ? new DefaultRouters(neighbours, solicitations, context.pathMtus)
            : null;
  }

  /** The next hop of a path: see {@link Path#route}. It may change: {@link #nextHop}. */
  Neighbour route(Ipv6Path path) {
    if (path.toUs()) {
      return loop.self();
    }
    if (onLink(path)) {
      return neighbours.find(path.remote());
    }
    if (routers != null) {
      return routers.any();
    }
    return network.gateway().map(neighbours::find).orElse(null);
  }

  /** Whether there is a route to an address. */
  boolean reaches(Ipv6Path path) {
    return onLink(path) || network.gateway().isPresent() || (routers != null && routers.exist());
  }

  private boolean onLink(Ipv6Path path) {
    return Ipv6Address.linkLocal(path.high)
        || network.address().sharesPrefix(path.high, path.low, network.prefixLength());
  }

  /**
   * The next hop of a packet.
   *
   * @param path that is open
   * @return null if there is none any more
   */
  Neighbour nextHop(Ipv6Path path, long now) {
    Neighbour route = path.hop;
    if (routers == null) {
      return route;
    }
    Neighbour redirect = path.redirect();
    if (redirect != null) {
      if (!redirect.unreachable) {
        return redirect;
      }
      path.redirect(null);
    }
    return routers.isAny(route) ? routers.choose(now) : route;
  }

  /** Handles a router advertisement, whose checksum and hop limit are right (section 6.1.2). */
  void onAdvertisement(long packet, long message, int length, long now) {
    if (routers == null) {
      counters.icmpIgnored++;
    } else if (!fromRouter(packet) || !Ndp.wellFormed(message, length, Ndp.ROUTER)) {
      counters.malformed++;
    } else {
      counters.routerAdvertisements++;
      long low = Ipv6.sourceLow(packet);
      int lifetime = Ndp.lifetime(message);
      int mtu = Ndp.mtu(message, length);
      heard(Ipv6.sourceHigh(packet), low, lifetime, mtu, now);
      if (!member.isAlone()) {
        HandOverEntry entry = member.entry(Kind.ROUTER);
        entry.high = Ipv6.sourceHigh(packet);
        entry.low = low;
        entry.code = lifetime;
        entry.length = mtu;
        member.tell(entry);
      }
    }
  }

  /** Whether a packet comes from a link-local address that is not ours. */
  private boolean fromRouter(long packet) {
    long high = Ipv6.sourceHigh(packet);
    return high == Ipv6Network.LINK_LOCAL && addresses.find(high, Ipv6.sourceLow(packet)) < 0;
  }

  /**
   * Handles a router's advertisement, received here or by another stack: {@link
   * DefaultRouters#heard}.
   */
  void heard(long high, long low, int lifetime, int mtu, long now) {
    Ipv6Address router = new Ipv6Address(high, low);
    boolean was = routers.knows(router);
    routers.heard(router, lifetime, mtu, now);
    if (was && lifetime == 0) {
      paths.endRedirects(router);
    }
  }

  /** Handles a redirect, whose checksum and hop limit are right (section 8.1). */
  void onRedirect(long packet, long message, int length) {
    if (routers == null) {
      counters.icmpIgnored++;
      return;
    }
    boolean whole = fromRouter(packet) && Ndp.wellFormed(message, length, Ndp.REDIRECT);
    long high = whole ? Ndp.destinationHigh(message) : 0;
    long low = whole ? Ndp.destinationLow(message) : 0;
    long target = whole ? Ndp.targetLow(message) : 0;
    boolean host = whole && Ndp.targetHigh(message) == high && target == low;
    boolean router = whole && Ndp.targetHigh(message) == Ipv6Network.LINK_LOCAL;
    if (!(host || router) || Ipv6Address.multicast(high)) {
      counters.malformed++;
      return;
    }
    redirected(high, low, target, Ipv6.sourceLow(packet), host);
    if (!member.isAlone()) {
      HandOverEntry entry = member.entry(Kind.REDIRECT);
      entry.high = high;
      entry.low = low;
      entry.target = target;
      entry.router = Ipv6.sourceLow(packet);
      entry.flag = host;
      member.tell(entry);
    }
  }

  /**
   * Handles a redirect to a better next hop for a destination. Only the router that packets to the
   * destination are sent to may redirect them.
   *
   * @param target lower half of the link-local address of the next hop
   * @param sender lower half of the link-local address of the router
   * @param host whether the next hop is the destination itself
   */
  void redirected(long high, long low, long target, long sender, boolean host) {
    Ipv6Path path = paths.find(high, low, LocalAddresses.GLOBAL);
    if (path == null || path.toUs() || onLink(path) || !isNextHop(sender, path)) {
      counters.icmpIgnored++;
      return;
    }
    Neighbour better =
        neighbours.find(host ? path.remote() : new Ipv6Address(Ipv6Network.LINK_LOCAL, target));
    if (better != null) {
      better.unreachable = false;
      path.redirect(better);
      counters.redirects++;
    }
  }

  private boolean isNextHop(long sender, Ipv6Path path) {
    Neighbour hop = path.redirect() == null ? routers.current() : path.redirect();
    return hop != null && hop.address.equals(new Ipv6Address(Ipv6Network.LINK_LOCAL, sender));
  }

  /** See {@link IpLayer#reportTo}. */
  void reportTo(Consumer<String> receiver) {
    if (routers != null) {
      routers.reportTo(receiver);
    }
  }

  /** Asks for routers, after the link has come up. */
  void start(long now) {
    if (routers != null) {
      routers.start(now);
    }
  }

  /** Runs the timers that are due; returns how many fired. */
  int advance(long now) {
    return routers == null ? 0 : routers.advance(now);
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    return routers == null ? Long.MAX_VALUE : routers.nextDeadline();
  }

  /** Transfers the routers that advertise themselves. */
  void transfer(Snapshot snapshot) {
    if (routers != null) {
      routers.transfer(snapshot);
    }
  }
}
