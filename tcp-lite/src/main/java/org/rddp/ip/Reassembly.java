package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;

/**
 * Reassembles fragments within limits (RFC 791 section 3.2, RFC 1122 section 3.3.2; option 2 of RFC
 * 5044 appendix A.5.1).
 *
 * <p>This is the slow path: our packets are never fragmented, and senders of datagrams that are too
 * large are told. Fragments are kept by reference; a complete datagram is copied into one packet,
 * and one that does not fit is refused. Kept packets are at most a sixteenth of the pool, and half
 * of that for one peer; at the limit the oldest datagram is discarded.
 */
final class Reassembly {
  /** RFC 1122 section 3.3.2: 60 to 120 seconds, independent of the fragments' time to live. */
  static final long TIMEOUT = 60 * 1_000_000_000L;

  /** Limit of incomplete datagrams. */
  static final int DATAGRAMS = 32;

  private static final int PART_OF_POOL = 16;
  private static final int FEWEST_PACKETS = 16;

  private final PacketPool pool;
  private final IcmpErrors errors;
  private final IpCounters counters;
  private final int longest;
  private final int mtu;
  private final int limit;

  /** The first {@link #count} are in use, the oldest first. */
  private final FragmentedDatagram[] datagrams = new FragmentedDatagram[DATAGRAMS];

  private int count;
  private int kept;

  /**
   * Without datagrams.
   *
   * @param mtu reported to senders of datagrams that are too large
   */
  Reassembly(PacketPool pool, IcmpErrors errors, IpCounters counters, int mtu) {
    this.pool = pool;
    this.errors = errors;
    this.counters = counters;
    this.mtu = mtu;
    longest = pool.room();
    limit = Math.max(pool.capacity() / PART_OF_POOL, FEWEST_PACKETS);
  }

  /**
   * Adds a fragment; retains its packet if the fragment is kept.
   *
   * @param header its IP header, checked
   * @return the datagram if it is complete: {@link #finish} must follow; otherwise null
   */
  FragmentedDatagram add(long header, long senderMac, long packet, long now) {
    counters.fragments++;
    if (!sound(header, senderMac, now)) {
      counters.fragmentsDropped++;
      return null;
    }
    makeRoom(Ipv4.source(header));
    FragmentedDatagram datagram = find(header);
    if (datagram == null) {
      datagram = begin(header, senderMac, now);
    }
    int before = datagram.packets();
    FragmentedDatagram.Outcome outcome = datagram.add(header, packet);
    kept += datagram.packets() - before;
    switch (outcome) {
      case KEPT -> {}
      case DROPPED -> counters.fragmentsDropped++;
      case DISCARDED -> counters.fragmentsDropped += before + 1;
      case COMPLETE -> {
        return datagram;
      }
    }
    return null;
  }

  /** Whether a fragment can be part of a datagram that we accept. */
  private boolean sound(long header, long senderMac, long now) {
    int length = Ipv4.totalLength(header) - Ipv4.headerLength(header);
    int offset = Ipv4.fragmentOffset(header);
    boolean more = Ipv4.moreFragments(header);
    if (length == 0 || (more && (length & 7) != 0)) {
      return false;
    }
    if (offset + length > longest) {
      refuse(header, senderMac, now);
      return false;
    }
    return true;
  }

  /** A datagram is larger than a packet: tells its sender, if the first fragment is here. */
  private void refuse(long header, long senderMac, long now) {
    FragmentedDatagram datagram = find(header);
    long first = Ipv4.fragmentOffset(header) == 0 ? header : 0;
    if (datagram != null && first == 0) {
      first = datagram.firstHeader();
    }
    if (first != 0) {
      errors.send(Icmpv4.UNREACHABLE, Icmpv4.FRAGMENTATION_NEEDED, mtu, first, senderMac, now);
    }
    if (datagram != null) {
      counters.fragmentsDropped += datagram.packets();
      kept -= datagram.packets();
      datagram.discard();
    }
  }

  private FragmentedDatagram find(long header) {
    for (int i = 0; i < count; i++) {
      if (datagrams[i].owns(header)) {
        return datagrams[i];
      }
    }
    return null;
  }

  private FragmentedDatagram begin(long header, long senderMac, long now) {
    if (count == DATAGRAMS) {
      discard(0);
    }
    if (datagrams[count] == null) {
      datagrams[count] = new FragmentedDatagram(pool);
    }
    FragmentedDatagram datagram = datagrams[count++];
    datagram.begin(header, senderMac, now + TIMEOUT);
    return datagram;
  }

  /** Discards the oldest datagrams until another packet of a peer may be kept. */
  private void makeRoom(int source) {
    while (keptOf(source) >= limit / 2) {
      discard(oldestOf(source));
    }
    while (kept >= limit) {
      discard(0);
    }
  }

  private int keptOf(int source) {
    int own = 0;
    for (int i = 0; i < count; i++) {
      if (datagrams[i].source() == source) {
        own += datagrams[i].packets();
      }
    }
    return own;
  }

  private int oldestOf(int source) {
    int index = 0;
    while (datagrams[index].source() != source || datagrams[index].packets() == 0) {
      index++;
    }
    return index;
  }

  private void discard(int index) {
    counters.fragmentsDropped += datagrams[index].packets();
    remove(index);
  }

  private void remove(int index) {
    FragmentedDatagram gone = datagrams[index];
    kept -= gone.packets();
    gone.discard();
    count--;
    System.arraycopy(datagrams, index + 1, datagrams, index, count - index);
    datagrams[count] = gone;
  }

  /**
   * Copies a complete datagram into one packet and removes it.
   *
   * @return the packet, the caller's, whose window is the payload; 0 if there is none
   */
  long finish(FragmentedDatagram datagram) {
    int index = 0;
    while (datagrams[index] != datagram) {
      index++;
    }
    long whole = pool.allocate();
    if (whole == 0) {
      counters.exhausted++;
      discard(index);
      return 0;
    }
    long address = pool.address(whole);
    datagram.copyTo(address);
    pool.window(whole, address, datagram.length());
    counters.reassembled++;
    remove(index);
    return whole;
  }

  /** Discards datagrams that have timed out; returns how many. */
  int advance(long now) {
    int expired = 0;
    while (count > 0 && datagrams[0].deadline() <= now) {
      long first = datagrams[0].firstHeader();
      if (first != 0) {
        // RFC 1122 section 3.3.2: the source gets an error, if the first fragment was received.
        long mac = datagrams[0].senderMac();
        errors.send(Icmpv4.TIME_EXCEEDED, Icmpv4.REASSEMBLY_TIME, 0, first, mac, now);
      }
      counters.reassemblyTimeouts++;
      discard(0);
      expired++;
    }
    return expired;
  }

  /** When {@link #advance} is due. */
  long nextDeadline() {
    return count == 0 ? Long.MAX_VALUE : datagrams[0].deadline();
  }

  /** Releases the packets that wait. */
  void close() {
    while (count > 0) {
      remove(count - 1);
    }
  }
}
