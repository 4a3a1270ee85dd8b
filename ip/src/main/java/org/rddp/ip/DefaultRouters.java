package org.rddp.ip;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.rddp.snapshot.Snapshot;

/**
 * The routers that advertise themselves as default routers (RFC 4861 sections 6.3.4 to 6.3.6). One
 * is used for all packets that leave the link, until it does not answer or its lifetime has ended;
 * then the next one that answers.
 *
 * <p>Only the lifetime and the link's MTU of an advertisement are used; prefixes, the hop limit and
 * the times of Neighbour Discovery are ignored. A router's MAC address is asked for like any
 * neighbour's.
 */
final class DefaultRouters {
  private static final long SECOND = 1_000_000_000L;

  /**
   * The most routers kept; others are ignored, so that a flood of advertisements cannot fill
   * memory.
   */
  static final int MOST = 8;

  /** The least time between two reports. */
  private static final long REPORT_AGAIN_AFTER = 10 * SECOND;

  private static final class Router {
    final Neighbour neighbour;
    long expiresAt;

    Router(Neighbour neighbour) {
      this.neighbour = neighbour;
    }
  }

  private final Neighbours neighbours;
  private final RouterSolicitations solicitations;
  private final PathMtus pathMtus;

  /** The neighbour of routes that use whichever router is current. */
  private final Neighbour any = new Neighbour(Ipv6Address.UNSPECIFIED);

  private final List<Router> routers = new ArrayList<>(MOST);

  /** The router in use; null if there is none. */
  private Router current;

  private Consumer<String> reports = text -> {};
  private Neighbour reported;
  private long reportFrom = Long.MIN_VALUE;

  DefaultRouters(Neighbours neighbours, RouterSolicitations solicitations, PathMtus pathMtus) {
    this.neighbours = neighbours;
    this.solicitations = solicitations;
    this.pathMtus = pathMtus;
  }

  /**
   * Sets the receiver of a line about the router in use when it changes; at most one in ten
   * seconds.
   */
  void reportTo(Consumer<String> receiver) {
    reports = receiver;
  }

  /** Asks for routers. */
  void start(long now) {
    solicitations.start(now);
  }

  /** Whether there is a router. */
  boolean exist() {
    return current != null;
  }

  /** The neighbour that stands for whichever router is current; null if there is no router. */
  Neighbour any() {
    return current == null ? null : any;
  }

  /** Whether a route is {@link #any}. */
  boolean isAny(Neighbour route) {
    return route == any;
  }

  /** The router used last; null if there is none. */
  Neighbour current() {
    return current == null ? null : current.neighbour;
  }

  /** The router to use for a packet; null if there is none. */
  Neighbour choose(long now) {
    if (current != null && current.neighbour.unreachable) {
      use(nextReachable(), now);
    }
    return current();
  }

  /** The next router that is not known to be unreachable; if all are, the next (6.3.6, rule 2). */
  private Router nextReachable() {
    int from = routers.indexOf(current) + 1;
    for (int i = 0; i < routers.size(); i++) {
      Router router = routers.get((from + i) % routers.size());
      if (!router.neighbour.unreachable) {
        return router;
      }
    }
    Router next = routers.get(from % routers.size());
    next.neighbour.unreachable = false;
    return next;
  }

  private void use(Router router, long now) {
    current = router;
    report(now);
  }

  /** Reports the router in use, unless the last report named it or is too recent. */
  private void report(long now) {
    Neighbour used = current();
    if (used != reported && now >= reportFrom) {
      reported = used;
      reportFrom = now + REPORT_AGAIN_AFTER;
      reports.accept(
          used == null
              ? "no router of IPv6 is left; networks behind the link are unreachable"
              : "packets of IPv6 to other networks go to the router " + used.address);
    }
  }

  /**
   * Handles the advertisement of a router.
   *
   * @param lifetime seconds for which it is a default router; 0 if it is none
   * @param mtu of the link, in octets; 0 if not advertised
   */
  void heard(Ipv6Address address, int lifetime, int mtu, long now) {
    Router router = find(address);
    if (lifetime == 0) {
      if (router != null) {
        remove(router, now);
      }
    } else {
      keep(router == null ? add(address) : router, lifetime, now);
    }
    if (mtu > 0) {
      pathMtus.advertised(mtu);
    }
  }

  /** Whether a host is one of the routers. */
  boolean knows(Ipv6Address address) {
    return find(address) != null;
  }

  private Router find(Ipv6Address address) {
    for (Router router : routers) {
      if (router.neighbour.address.equals(address)) {
        return router;
      }
    }
    return null;
  }

  private Router add(Ipv6Address address) {
    Router router = create(address);
    if (router != null) {
      // From now on only answers show that it is reachable (RFC 4861 section 7.3.1).
      router.neighbour.unreachable = false;
    }
    return router;
  }

  private Router create(HostAddress address) {
    Neighbour neighbour = routers.size() == MOST ? null : neighbours.find(address);
    if (neighbour == null) {
      return null;
    }
    neighbour.acquire();
    Router router = new Router(neighbour);
    routers.add(router);
    return router;
  }

  private void keep(Router router, int lifetime, long now) {
    if (router == null) {
      return;
    }
    router.expiresAt = now + lifetime * SECOND;
    solicitations.stop();
    if (current == null) {
      use(router, now);
    }
  }

  private void remove(Router router, long now) {
    routers.remove(router);
    router.neighbour.release();
    if (router == current) {
      use(routers.isEmpty() ? null : nextReachable(), now);
    }
    if (routers.isEmpty()) {
      solicitations.start(now);
    }
  }

  /**
   * Removes routers whose lifetime has ended, and asks for others; returns how many timers fired.
   */
  int advance(long now) {
    int due = solicitations.advance(now);
    report(now);
    for (int i = routers.size() - 1; i >= 0; i--) {
      if (routers.get(i).expiresAt <= now) {
        remove(routers.get(i), now);
        due++;
      }
    }
    return due;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    long first = solicitations.nextDeadline();
    if (current() != reported) {
      first = Math.min(first, reportFrom);
    }
    for (Router router : routers) {
      first = Math.min(first, router.expiresAt);
    }
    return first;
  }

  /** Transfers the routers, after the neighbours. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(DefaultRouters.class);
    solicitations.transfer(snapshot);
    int count = snapshot.number("routers", routers.size(), 0, MOST);
    for (int i = 0; i < count; i++) {
      HostAddress written = snapshot.reads() ? null : routers.get(i).neighbour.address;
      HostAddress address = HostAddress.transfer(snapshot, written);
      Router router = snapshot.reads() ? create(address) : routers.get(i);
      if (router == null) {
        throw snapshot.wrong("there is no room for the router " + address);
      }
      router.expiresAt = snapshot.number("expiresAt", router.expiresAt);
    }
    boolean told = current() == reported;
    int used = snapshot.number("current", routers.indexOf(current), -1, count - 1);
    current = used < 0 ? null : routers.get(used);
    reported = snapshot.flag("reported", told) ? current() : reported;
    reportFrom = snapshot.number("reportFrom", reportFrom);
    snapshot.end();
  }
}
