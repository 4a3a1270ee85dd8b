package org.rddp.ip;

import org.rddp.device.PacketPool;

/**
 * Reassembles fragments within limits (RFC 791 section 3.2, RFC 1122 section 3.3.2; option 2 of RFC
 * 5044 appendix A.5.1).
 *
 * <p>This is the slow path: our packets are never fragmented. Fragments are kept by reference; a
 * complete datagram is copied into one packet, and one that does not fit is refused with an error
 * to its sender. At most a sixteenth of the pool is kept, and half of that for one peer; at the
 * limit the oldest datagram is discarded.
 */
final class Reassembly {
  /** RFC 1122 section 3.3.2: 60 to 120 seconds, independent of the fragments' time to live. */
  static final long TIMEOUT = 60 * 1_000_000_000L;

  /** Limit of incomplete datagrams. */
  static final int DATAGRAMS = 32;

  private static final int PART_OF_POOL = 16;
  private static final int FEWEST_PACKETS = 16;

  private final PacketPool pool;
  private final IpCounters counters;
  private final int longest;
  private final int limit;

  /** The first {@link #count} are in use, the oldest first. */
  private final FragmentedDatagram[] datagrams = new FragmentedDatagram[DATAGRAMS];

  private int count;
  private int kept;

  /** Creates an instance without datagrams. */
  Reassembly(PacketPool pool, IpCounters counters) {
    this.pool = pool;
    this.counters = counters;
    longest = pool.room();
    limit = Math.max(pool.capacity() / PART_OF_POOL, FEWEST_PACKETS);
  }

  /**
   * Adds a fragment; retains its packet if the fragment is kept.
   *
   * @return the datagram if it is complete: {@link #finish} must follow; otherwise null
   */
  FragmentedDatagram add(Fragment fragment, long packet, long now) {
    counters.fragments++;
    if (!sound(fragment, now)) {
      counters.fragmentsDropped++;
      return null;
    }
    makeRoom(fragment);
    FragmentedDatagram datagram = find(fragment);
    if (datagram == null) {
      datagram = begin(fragment, now);
    }
    int before = datagram.packets();
    FragmentedDatagram.Outcome outcome = datagram.add(fragment, packet);
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
  private boolean sound(Fragment fragment, long now) {
    if (fragment.length == 0 || (fragment.more && (fragment.length & 7) != 0)) {
      return false;
    }
    if (fragment.offset + fragment.length > longest) { // MPAA-5.1-03
      refuse(fragment, now);
      return false;
    }
    return true;
  }

  /**
   * Refuses a datagram that is larger than a packet; reports it to its sender if the first fragment
   * is here.
   */
  private void refuse(Fragment fragment, long now) {
    FragmentedDatagram datagram = find(fragment);
    long first = fragment.offset == 0 ? fragment.header : 0;
    if (datagram != null && first == 0) {
      first = datagram.firstHeader();
    }
    if (first != 0) {
      fragment.errors.tooLarge(first, fragment.senderMac, now);
    }
    if (datagram != null) {
      counters.fragmentsDropped += datagram.packets();
      kept -= datagram.packets();
      datagram.discard();
    }
  }

  private FragmentedDatagram find(Fragment fragment) {
    for (int i = 0; i < count; i++) {
      if (datagrams[i].owns(fragment)) {
        return datagrams[i];
      }
    }
    return null;
  }

  private FragmentedDatagram begin(Fragment fragment, long now) {
    if (count == DATAGRAMS) {
      discard(0);
    }
    if (datagrams[count] == null) {
      datagrams[count] = new FragmentedDatagram(pool);
    }
    FragmentedDatagram datagram = datagrams[count++];
    datagram.begin(fragment, now + TIMEOUT);
    return datagram;
  }

  /** Discards the oldest datagrams until another packet of a peer may be kept. */
  private void makeRoom(Fragment source) {
    while (keptOf(source) >= limit / 2) {
      discard(oldestOf(source));
    }
    while (kept >= limit) { // MPAA-5.1-03
      discard(0);
    }
  }

  private int keptOf(Fragment source) {
    int own = 0;
    for (int i = 0; i < count; i++) {
      if (datagrams[i].isFrom(source)) {
        own += datagrams[i].packets();
      }
    }
    return own;
  }

  private int oldestOf(Fragment source) {
    int index = 0;
    while (!datagrams[index].isFrom(source) || datagrams[index].packets() == 0) {
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
   * @return a packet of the caller's, whose window is the payload; 0 if the pool is empty
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
    datagram.copyTo(address); // MPAA-5-02, MPAA-5-04, MPAA-5.1-06, D03-13.2-01
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
        datagrams[0].errors().timeExceeded(first, datagrams[0].senderMac(), now);
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

  /** Datagrams of which fragments have come, kept or discarded. */
  int incomplete() {
    return count;
  }
}
