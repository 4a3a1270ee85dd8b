package org.rddp.ip;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.wire.Ipv6;

/**
 * The MTUs of paths that carry less than the link, by destination (RFC 1191 section 6, RFC 8201).
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

  private record Entry(int mtu, long expires) {}

  private final int linkMtu;

  /** What the numbers of remote addresses of IPv6 mean; null without IPv6. */
  private final Ipv6Paths paths;

  private final TransportHandler transport;

  /** The link's MTU for IPv6, which a router may lower. */
  private int ipv6LinkMtu;

  private final Map<Integer, Entry> entries = new LinkedHashMap<>();
  private long nextDeadline = Long.MAX_VALUE;

  PathMtus(int linkMtu, Ipv6Paths paths, TransportHandler transport) {
    this.linkMtu = linkMtu;
    ipv6LinkMtu = linkMtu;
    this.paths = paths;
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
      return Math.max(nextHopMtu, LEAST);
    }
    for (int plateau : PLATEAUS) {
      if (plateau < quotedLength) {
        return plateau;
      }
    }
    return LEAST;
  }

  /** The MTU of the path to a destination, or of the link if no less is known. */
  int get(int destination) {
    int link = link(destination);
    if (entries.isEmpty()) {
      return link;
    }
    Entry entry = entries.get(destination);
    return entry == null ? link : Math.min(entry.mtu, link);
  }

  /** The MTU of the link for the family of a destination. */
  int link(int destination) {
    return IpLayer.isIpv6(destination) ? ipv6LinkMtu : linkMtu;
  }

  /**
   * A router has told the MTU of the link (RFC 4861 section 6.3.4). It counts from 1280 octets on,
   * up to what the device and the configuration allow.
   */
  void advertised(int mtu) {
    int told = Math.min(mtu, linkMtu);
    if (told >= Ipv6.LEAST_MTU && told != ipv6LinkMtu) {
      ipv6LinkMtu = told;
      transport.onIpv6LinkMtu();
    }
  }

  /** Lowers the MTU of a path; never raises it. */
  void lower(int destination, int mtu, long now) {
    boolean ipv6 = IpLayer.isIpv6(destination);
    // RFC 8201 section 4: a path of IPv6 carries what every link must carry.
    int lowered = Math.max(mtu, ipv6 ? Ipv6.LEAST_MTU : Math.min(LEAST, linkMtu));
    if (lowered >= get(destination)) {
      return;
    }
    if (entries.remove(destination) == null && ipv6) {
      paths.acquire(paths.at(destination));
    }
    if (entries.size() == CAPACITY) {
      forgetOldest();
    }
    entries.put(destination, new Entry(lowered, now + LIFETIME));
    schedule();
  }

  /** Removes old entries and tells the transport; returns how many. */
  int advance(long now) {
    int forgotten = 0;
    while (nextDeadline <= now) {
      forgetOldest();
      forgotten++;
    }
    return forgotten;
  }

  private void forgetOldest() {
    Iterator<Integer> oldest = entries.keySet().iterator();
    int destination = oldest.next();
    oldest.remove();
    schedule();
    transport.onPathMtu(destination, link(destination));
    if (IpLayer.isIpv6(destination)) {
      paths.release(paths.at(destination));
    }
  }

  /** The entry that was lowered longest ago is the first. */
  private void schedule() {
    nextDeadline = entries.isEmpty() ? Long.MAX_VALUE : entries.values().iterator().next().expires;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    return nextDeadline;
  }
}
