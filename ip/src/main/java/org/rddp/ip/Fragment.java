package org.rddp.ip;

import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ipv6Extensions;
import org.rddp.wire.Ipv6Fragment;

/** A received fragment of either family. A stack reuses an instance. */
final class Fragment {
  /** {@link #protocol} for IPv6, where it does not identify a packet (RFC 8200 4.5). */
  private static final int ANY = -1;

  /** Upper half of the source's address; 0 for IPv4. */
  long sourceHigh;

  /** Lower half of the source's address, or all of it. */
  long source;

  /** Which of our addresses the fragment is for. */
  int destination;

  /** The protocol, which is part of what identifies a datagram. */
  int protocol;

  int identification;

  /** The protocol that the datagram's payload begins with, if this is the first fragment. */
  int next;

  int offset;
  int length;
  boolean more;
  int ecn;
  long header;
  long payload;
  long senderMac;
  final FragmentErrors errors;

  Fragment(FragmentErrors errors) {
    this.errors = errors;
  }

  /** Takes a fragment of IPv4, whose header has been checked. */
  void ipv4(long packet, long mac) {
    sourceHigh = 0;
    source = Ipv4.source(packet);
    destination = 0;
    protocol = Ipv4.protocol(packet);
    next = protocol;
    identification = Ipv4.identification(packet);
    offset = Ipv4.fragmentOffset(packet);
    length = Ipv4.totalLength(packet) - Ipv4.headerLength(packet);
    more = Ipv4.moreFragments(packet);
    ecn = Ipv4.ecn(packet);
    header = packet;
    payload = packet + Ipv4.headerLength(packet);
    senderMac = mac;
  }

  /** Takes a fragment of IPv6, whose headers have been walked, for one of our addresses. */
  void ipv6(long packet, Ipv6Extensions headers, int local, long mac) {
    sourceHigh = Ipv6.sourceHigh(packet);
    source = Ipv6.sourceLow(packet);
    // 0 means IPv4.
    destination = local + 1;
    protocol = ANY;
    next = Ipv6Fragment.nextHeader(headers.fragment);
    identification = Ipv6Fragment.identification(headers.fragment);
    offset = Ipv6Fragment.offset(headers.fragment);
    length = headers.length;
    more = Ipv6Fragment.more(headers.fragment);
    ecn = Ipv6.ecn(packet);
    header = packet;
    payload = headers.payload;
    senderMac = mac;
  }
}
