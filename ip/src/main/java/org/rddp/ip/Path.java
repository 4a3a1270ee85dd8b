package org.rddp.ip;

import org.rddp.group.HandOverEntry;
import org.rddp.wire.Ipv4;

/**
 * The path to one remote address: its family, our address, the MTU and the next hop. A user that
 * keeps a path calls {@link #acquire}, or {@link #open} to send on it; otherwise the path is valid
 * until the next packet is processed.
 */
public abstract sealed class Path permits Ipv4Path, Ipv6Path {
  private static final int FIRST_OCTET = 24;

  final IpContext context;

  /** The next hop while the path is open. */
  Neighbour hop;

  /** The MTU that an ICMP message has claimed, valid until {@link #mtuExpires}. */
  int lowered = Integer.MAX_VALUE;

  long mtuExpires;
  private final int number;
  private final boolean toUs;
  private final int header;
  private final long sum;
  private int users;

  /** How often it has been opened and not closed: by TCP, and by tunnels that it carries. */
  private int opened;

  /** The associations for the path, which {@link EspOutput} looks up; null before. */
  OutboundAssociation[] candidates;

  /** The {@link IpSecurity#generation} in which they were looked up. */
  int candidatesOf;

  /**
   * Creates a path that nobody keeps.
   *
   * @param toUs whether the remote address is ours
   * @param header octets of IP's header
   * @param sum of the addresses in the pseudo header
   */
  Path(IpContext context, int number, boolean toUs, int header, long sum) {
    this.context = context;
    this.number = number;
    this.toUs = toUs;
    this.header = header;
    this.sum = sum;
  }

  /** Whether a path number is of IPv6: no host's IPv4 address begins with 0. */
  static boolean isIpv6(int number) {
    return number >>> FIRST_OCTET == 0;
  }

  /**
   * The number of the path in the keys of connections: an IPv4 address, or 1 to 2^24 - 1 for IPv6.
   */
  public final int number() {
    return number;
  }

  /** Whether this is a path of IPv6. */
  public final boolean isIpv6() {
    return isIpv6(number);
  }

  /** Whether the remote address is our own. */
  public final boolean toUs() {
    return toUs;
  }

  /** The remote address. */
  public abstract HostAddress remote();

  /** Our address. */
  public abstract HostAddress ours();

  /** A hash of both addresses, the same in every stack of the interface. */
  public abstract long hash();

  /** What limits per peer count by: the IPv4 address, or the upper 64 bits of the IPv6 address. */
  public abstract long network();

  /** Sets the addresses of an entry about a packet of this path. */
  abstract void writeTo(HandOverEntry entry);

  /** Whether there is a route to the remote address. */
  public abstract boolean reaches();

  /**
   * Whether our queue receives segments from a port of the remote address, as far as that can be
   * predicted.
   */
  public abstract boolean receives(int remotePort, int localPort);

  /** Whether {@link #receives} is right for every connection. */
  public final boolean foretells() {
    return context.device.foretells(isIpv6());
  }

  /** The largest packet that the link carries, in octets. */
  public abstract int linkMtu();

  /** The largest packet that the path is known to carry, in octets. */
  public final int mtu() {
    return Math.min(lowered, linkMtu());
  }

  /**
   * Lowers the MTU for ten minutes, but not below 296 octets, or 1280 with IPv6. A larger value
   * than the current one has no effect. Tells the other stacks of the interface.
   */
  public final void lowerMtu(int octets, long now) {
    context.pathMtus.lower(this, octets, now);
    context.handOver.tellPathMtu(this, octets);
  }

  /** The least MTU that is accepted from an ICMP message, in octets. */
  abstract int leastMtu();

  /** The most octets that a transport can have, header included, in a packet of so many octets. */
  public final int room(int mtu) {
    return context.output == null ? mtu - header : context.output.room(this, mtu);
  }

  /** Whether every packet of a TCP connection must be in ESP. */
  public final boolean secures(int localPort, int remotePort) {
    return context.output != null && context.output.requires(this, localPort, remotePort);
  }

  /** Whether tunnels of ESP lead over it, so that its MTU is one of other paths, too. */
  public final boolean carriesTunnel() {
    return context.output != null && context.output.hasTunnel(this);
  }

  /** Octets of IP's header. */
  final int header() {
    return header;
  }

  /** The upper half of the remote address, as in {@link AddressPrefix}. */
  abstract long high();

  /** The lower half of the remote address, as in {@link AddressPrefix}. */
  abstract long low();

  /** The partial sum of the pseudo header of a TCP segment of so many octets. */
  public final long pseudoHeader(int length) {
    return pseudoHeader(Ipv4.PROTOCOL_TCP, length);
  }

  final long pseudoHeader(int protocol, int length) {
    return sum + protocol + length;
  }

  /**
   * Finds the next hop, and keeps it and the path until {@link #close}.
   *
   * @return false if there is no gateway, or too many neighbours are in use
   */
  public final boolean open() {
    if (opened == 0) {
      hop = route();
      if (hop == null) {
        return false;
      }
      hop.acquire();
    }
    opened++;
    acquire();
    return true;
  }

  /** Ends an {@link #open}. */
  public final void close() {
    if (--opened == 0) {
      hop.release();
      hop = null;
    }
    release();
  }

  /**
   * The next hop: the host itself if it is on the link or us, else the gateway; null if {@link
   * #open} fails.
   */
  abstract Neighbour route();

  /** Keeps the path, and its number, until {@link #release}. */
  final void acquire() {
    if (users++ == 0) {
      kept();
    }
  }

  /** Undoes one {@link #acquire}. */
  final void release() {
    if (--users == 0) {
      unkept();
    }
  }

  final boolean isKept() {
    return users > 0;
  }

  /** Called when the path gets its first user. */
  abstract void kept();

  /** Called when the path loses its last user. */
  abstract void unkept();

  /**
   * Requests that the device complete the TCP checksum of a packet that is {@linkplain #send sent}
   * next.
   *
   * @param tcpHeader octets of the TCP header
   * @param segment see {@link org.rddp.device.FrameDevice#requestOffload}
   */
  public final void requestOffload(long packet, int tcpHeader, int segment) {
    context.device.requestOffload(packet, context.link.header(), header, tcpHeader, segment);
  }

  /**
   * Writes IP and Ethernet headers in front of a TCP segment and queues the frame, or keeps it
   * until the neighbour's MAC address is known. Call only while the path is open and {@link
   * IpLayer#room()}. Takes over the reference. Where the interface has a security policy, the
   * segment may be sealed in another packet, or dropped.
   *
   * @param payload first octet of the payload, with room for the headers in front
   * @param length its octets
   * @param trafficClass DSCP and ECN codepoint of the packet, such as {@link Ipv4#ECT_0}
   * @return false if it was dropped for want of a security association: {@link
   *     TransportHandler#onAssociations} tells when it may succeed
   */
  public final boolean send(long packet, long payload, int length, int trafficClass, long now) {
    if (context.output != null) {
      return context.output.send(this, packet, payload, length, trafficClass, now);
    }
    transmit(Ipv4.PROTOCOL_TCP, packet, payload, length, trafficClass, now);
    return true;
  }

  /**
   * Sends a TCP segment to the MAC address of the segment that it answers, without a neighbour
   * entry, so that unknown hosts create no state. Otherwise like {@link #send}, but the caller
   * keeps its reference.
   */
  public final void reply(
      long packet, long payload, int length, int trafficClass, long macAddress) {
    reply(Ipv4.PROTOCOL_TCP, packet, payload, length, trafficClass, macAddress);
  }

  /** Like {@link #reply(long, long, int, int, long)}, for any protocol. */
  final void reply(
      int protocol, long packet, long payload, int length, int trafficClass, long macAddress) {
    if (context.output == null) {
      transmitTo(protocol, packet, payload, length, trafficClass, macAddress);
    } else {
      context.output.reply(this, protocol, packet, payload, length, trafficClass, macAddress);
    }
  }

  /** Sends a packet as it is; see {@link #send}. */
  abstract void transmit(
      int protocol, long packet, long payload, int length, int trafficClass, long now);

  /** Sends a packet as it is; see {@link #reply}. */
  abstract void transmitTo(
      int protocol, long packet, long payload, int length, int trafficClass, long macAddress);

  /** Writes IP's header in front of a payload, for a tunnel. */
  abstract void writeHeader(int protocol, long payload, int length, int trafficClass);
}
