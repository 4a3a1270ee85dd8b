package org.rddp.ip;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ipv6;

/**
 * The MTUs of paths that carry less than the link (RFC 1191 section 6, RFC 8201).
 *
 * <p>An entry is removed ten minutes after it was last lowered, because the path may have changed
 * (section 6.3); a packet that is still too large causes another ICMP message. There are at most
 * 1024 entries; the oldest is removed for a new one.
 */
final class PathMtus {
  /**
   * The least MTU that is accepted, so that segments stay large enough for the smallest MULPDU (RFC
   * 5044 section 4.1) and forged messages cannot make us send tiny segments.
   */
  static final int LEAST = 296;

  private static final long LIFETIME = 600 * 1_000_000_000L;
  private static final int CAPACITY = 1024;

  /** The common MTUs of links (RFC 1191 section 7.1). */
  private static final int[] PLATEAUS = {32000, 17914, 8166, 4352, 2002, 1492, 1006, 508, LEAST};

  private final int linkMtu;
  private final TransportHandler transport;

  /** The link's MTU for IPv6, which a router may lower. */
  private int ipv6Link;

  /** The paths that carry less than the link, in the order in which they were last lowered. */
  private final Set<Path> lowered = new LinkedHashSet<>();

  private long nextDeadline = Long.MAX_VALUE;

  PathMtus(int linkMtu, TransportHandler transport) {
    this.linkMtu = linkMtu;
    ipv6Link = linkMtu;
    this.transport = transport;
  }

  /**
   * The MTU that an ICMP message claims.
   *
   * @param nextHopMtu of the message; 0 from a router older than RFC 1191
   * @param quotedLength octets of our packet, as quoted
   * @return octets, at least {@link #LEAST}
   */
  static int claimed(int nextHopMtu, int quotedLength) {
    if (nextHopMtu > 0) {
      return Math.max(nextHopMtu, LEAST); // MPA-9.1-02
    }
    for (int plateau : PLATEAUS) {
      if (plateau < quotedLength) {
        return plateau;
      }
    }
    return LEAST;
  }

  /** The MTU of the link for IPv6. */
  int ipv6Link() {
    return ipv6Link;
  }

  /**
   * Takes the MTU of the link that a router advertises (RFC 4861 section 6.3.4). It is used if at
   * least 1280 octets, up to what the device and the configuration allow.
   */
  void advertised(int mtu) {
    int told = Math.min(mtu, linkMtu);
    if (told >= Ipv6.LEAST_MTU && told != ipv6Link) {
      ipv6Link = told;
      transport.onIpv6LinkMtu();
    }
  }

  /** Lowers the MTU of a path; never raises it. */
  void lower(Path path, int mtu, long now) {
    int octets = Math.max(mtu, path.leastMtu()); // MPA-9.1-02
    if (octets >= path.mtu()) {
      return;
    }
    if (!lowered.remove(path)) {
      path.acquire();
    }
    if (lowered.size() == CAPACITY) {
      forgetOldest();
    }
    path.lowered = octets;
    path.mtuExpires = now + LIFETIME;
    lowered.add(path);
    schedule();
  }

  /** Removes old entries and notifies the transport; returns how many. */
  int advance(long now) {
    int forgotten = 0;
    while (nextDeadline <= now) {
      forgetOldest();
      forgotten++;
    }
    return forgotten;
  }

  private void forgetOldest() {
    Iterator<Path> oldest = lowered.iterator();
    Path path = oldest.next();
    oldest.remove();
    path.lowered = Integer.MAX_VALUE;
    schedule();
    transport.onPathMtu(path);
    path.release();
  }

  private void schedule() {
    nextDeadline = lowered.isEmpty() ? Long.MAX_VALUE : lowered.iterator().next().mtuExpires;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    return nextDeadline;
  }

  /**
   * Transfers the paths that carry less than the link.
   *
   * @param paths finds a path by its number
   */
  void transfer(Snapshot snapshot, IntFunction<Path> paths) {
    snapshot.begin(PathMtus.class);
    ipv6Link = snapshot.number("ipv6Link", ipv6Link);
    int count = snapshot.number("lowered", lowered.size(), 0, CAPACITY);
    Iterator<Path> written = List.copyOf(lowered).iterator();
    for (int i = 0; i < count; i++) {
      snapshot.begin(Path.class);
      int number = snapshot.number("number", snapshot.reads() ? 0 : written.next().number());
      Path path = paths.apply(number);
      path.lowered = snapshot.number("lowered", path.lowered);
      path.mtuExpires = snapshot.number("mtuExpires", path.mtuExpires);
      snapshot.end();
      if (snapshot.reads() && lowered.add(path)) {
        path.acquire();
      }
    }
    schedule();
    snapshot.end();
  }
}
