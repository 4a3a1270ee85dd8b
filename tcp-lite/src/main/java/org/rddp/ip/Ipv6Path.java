package org.rddp.ip;

import org.rddp.wire.Checksum;

/** A remote address of IPv6 with the address of ours that it is used with, under a number. */
public final class Ipv6Path {
  /** Stands for both addresses where IPv4 has the remote address: 1 to 2^24 - 1. */
  final int number;

  /** Upper half of the remote address. */
  final long high;

  /** Lower half of the remote address. */
  final long low;

  /** Whether the remote address is ours, too. */
  final boolean toUs;

  /** Which of our addresses: an index of {@link LocalAddresses}. */
  final int local;

  /** Upper half of our address. */
  final long localHigh;

  /** Lower half of our address. */
  final long localLow;

  /** The part of the pseudo header's sum that is the same for every packet. */
  private final long sum;

  /** Users, who need the number to stay. */
  int users;

  /** The next hop that a router has told of (RFC 4861 section 8); null for that of the route. */
  private Neighbour redirect;

  /** Neighbours in the list of paths without users. */
  Ipv6Path previous;

  Ipv6Path next;

  Ipv6Path(int number, long high, long low, int local, LocalAddresses addresses) {
    Ipv6Address ours = addresses.get(local);
    this.number = number;
    this.high = high;
    this.low = low;
    this.local = local;
    toUs = addresses.find(high, low) >= 0;
    localHigh = ours.high();
    localLow = ours.low();
    sum = Checksum.pseudoHeader(high, low, localHigh, localLow, 0, 0);
  }

  /** The next hop that a router has told of; null for that of the route. */
  Neighbour redirect() {
    return redirect;
  }

  /** Sets or, with null, removes the next hop that a router has told of. */
  void redirect(Neighbour hop) {
    if (redirect != null) {
      redirect.release();
    }
    redirect = hop;
    if (redirect != null) {
      redirect.acquire();
    }
  }

  /** The partial sum of the pseudo header. */
  long pseudoHeader(int protocol, int length) {
    return sum + protocol + length;
  }

  /** A hash of both addresses, the same in every stack of the interface. */
  long hash() {
    return (Long.rotateLeft(high, 1) ^ localHigh) * 0x9e3779b97f4a7c15L
        ^ (Long.rotateLeft(low, 1) ^ localLow);
  }

  /** A flow label for a connection with these ports (RFC 6437 section 3). */
  int flowLabel(int ports) {
    long mixed = (high ^ low ^ localLow ^ ports) * 0x9e3779b97f4a7c15L;
    return (int) (mixed >>> 44);
  }

  /** The remote address. */
  public Ipv6Address remote() {
    return new Ipv6Address(high, low);
  }

  /** Our address. */
  public Ipv6Address ours() {
    return new Ipv6Address(localHigh, localLow);
  }

  /** Upper half of the remote address: the network that its host is in. */
  public long remotePrefix() {
    return high;
  }

  /** Lower half of the remote address. */
  public long remoteInterface() {
    return low;
  }

  /** Upper half of our address. */
  public long ourPrefix() {
    return localHigh;
  }

  /** Lower half of our address. */
  public long ourInterface() {
    return localLow;
  }
}
