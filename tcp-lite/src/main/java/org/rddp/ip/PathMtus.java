package org.rddp.ip;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The MTUs of paths that carry less than the link (RFC 1191 section 6), by destination.
 *
 * <p>An entry is forgotten ten minutes after it was last lowered (section 6.3), because the path
 * may have changed: what then is too large again draws the next ICMP message. There are at most
 * 1024 entries; the oldest gives way.
 */
final class PathMtus {
  /**
   * The least that is believed. Whatever a message claims, segments stay large enough for the
   * smallest MULPDU (RFC 5044 section 4.1), and nobody can make us send octet by octet.
   */
  static final int LEAST = 296;

  private static final long LIFETIME = 600 * 1_000_000_000L;
  private static final int CAPACITY = 1024;

  /** The MTUs that there are on the way, roughly (RFC 1191 section 7.1). */
  private static final int[] PLATEAUS = {32000, 17914, 8166, 4352, 2002, 1492, 1006, 508, LEAST};

  private record Entry(int mtu, long expires) {}

  private final int linkMtu;
  private final TransportHandler transport;
  private final Map<Integer, Entry> entries = new LinkedHashMap<>();
  private long nextDeadline = Long.MAX_VALUE;

  PathMtus(int linkMtu, TransportHandler transport) {
    this.linkMtu = linkMtu;
    this.transport = transport;
  }

  /**
   * What an ICMP message claims about a path.
   *
   * @param nextHopMtu what it says; 0 from a router that is older than RFC 1191
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

  /** The largest packet that is known to pass, or not known not to. */
  int get(int destination) {
    if (entries.isEmpty()) {
      return linkMtu;
    }
    Entry entry = entries.get(destination);
    return entry == null ? linkMtu : entry.mtu;
  }

  /** A path carries no more than that; it is never raised here. */
  void lower(int destination, int mtu, long now) {
    int lowered = Math.max(mtu, Math.min(LEAST, linkMtu));
    if (lowered >= get(destination)) {
      return;
    }
    entries.remove(destination);
    if (entries.size() == CAPACITY) {
      forgetOldest();
    }
    entries.put(destination, new Entry(lowered, now + LIFETIME));
    schedule();
  }

  /** Forgets what is too old, and says so; returns how many entries that were. */
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
    transport.onPathMtu(destination, linkMtu);
  }

  /** The entry that was lowered longest ago is the first. */
  private void schedule() {
    nextDeadline = entries.isEmpty() ? Long.MAX_VALUE : entries.values().iterator().next().expires;
  }

  /** When {@link #advance} has something to do. */
  long nextDeadline() {
    return nextDeadline;
  }
}
