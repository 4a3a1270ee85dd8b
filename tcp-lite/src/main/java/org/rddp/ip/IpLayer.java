package org.rddp.ip;

import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.rddp.device.CaptureSink;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.device.PacketPool;
import org.rddp.group.HandOverEntry.Kind;
import org.rddp.group.SharedCounts;
import org.rddp.group.StackMember;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Tcp;
import org.rddp.wire.Vlan;

/**
 * IPv4 and IPv6, whichever of them the interface has, on one device: checks received frames and
 * passes them to {@link Ipv4Input} and {@link Ipv6Input}; finds the next hop of packets from the
 * transport and queues them. Sent packets are not fragmented. Packets to our own address do not
 * reach the device: they are received in a later burst.
 *
 * <p>A remote address is one number here and for the transport: an address of IPv4, or the number
 * of an {@link Ipv6Path}, whose first octet is 0 as no host's address of IPv4 is.
 */
public final class IpLayer {
  /** Most frames that are received at once. */
  public static final int BURST = 64;

  private static final int PORTS = 8;
  private static final int FIRST_OCTET = 24;

  private final FrameDevice device;
  private final PacketPool pool;
  private final EthernetLink link;
  private final PathMtus pathMtus;
  private final Loop loop;
  private final Reassembly reassembly;
  private final HandOver handOver;
  private final HandOverInput others;

  /** IPv4; null if the interface has none. */
  private final Ipv4Layer ipv4;

  /** IPv4's input and output, which each segment needs; null without IPv4. */
  private final Ipv4Input ipv4Input;

  private final Ipv4Output ipv4Output;

  /** IPv6; null if the interface has none. */
  private final Ipv6Layer ipv6;

  /** What the numbers of remote addresses of IPv6 mean; null without IPv6. */
  private final Ipv6Paths paths;

  private final IpCounters counters = new IpCounters();
  private final TransportHandler transport;
  private final long[] burst = new long[BURST];

  /**
   * Frames of the longest kind with twice the octets of a burst of ordinary ones: a peer that sends
   * a burst of full segments in each turn is to find its frames taken in the next one, while they
   * are in the processor's cache.
   */
  private final long[] longBurst;

  /** Whether the last burst held a frame longer than the MTU allows. */
  private boolean receivesLong;

  /** Our address of IPv4; 0 without IPv4, as no host's is. */
  private final int address;

  private final int mtu;
  private final int longestFrame;
  private final StackMember member;
  private boolean up;

  /** Whether the frame being processed is from ourselves, and not from the device. */
  private boolean looped;

  /**
   * IP for one transport on one device, or on one queue of it.
   *
   * @param random source of keys if the interface has IPv6; not used otherwise
   */
  public IpLayer(
      FrameDevice device,
      InterfaceAddress address,
      StackMember member,
      TransportHandler transport,
      RandomGenerator random) {
    this.device = device;
    this.member = member;
    this.transport = transport;
    pool = device.pool();
    link = new EthernetLink(device, address.vlan());
    mtu = Math.min(Math.min(device.mtu(), address.mtu()), pool.room() - link.header());
    longestFrame = device.longestFrame() > device.mtu() ? device.longestFrame() : mtu;
    longBurst = new long[Math.clamp(2 * BURST * mtu / longestFrame, 1, BURST)];
    Ipv6Network network = address.ipv6().orElse(null);
    LocalAddresses ours =
        network == null
            ? null
            : new LocalAddresses(network, device.macAddress(), member.usableAddresses());
    paths = network == null ? null : new Ipv6Paths(ours, random.nextLong());
    pathMtus = new PathMtus(mtu, paths, transport);
    loop = new Loop(link, counters, address.first());
    ErrorLimit limit = new ErrorLimit();
    reassembly = new Reassembly(pool, counters);
    handOver = new HandOver(pool, member, paths, counters);
    ipv4 =
        address
            .ipv4()
            .map(own ->
                new Ipv4Layer(
                    link,
                    own,
                    loop,
                    pathMtus,
                    reassembly,
                    handOver,
                    limit,
                    counters,
                    transport,
                    member,
                    mtu))
            .orElse(null);
    this.address = ipv4 == null ? 0 : ipv4.address();
    ipv4Input = ipv4 == null ? null : ipv4.input();
    ipv4Output = ipv4 == null ? null : ipv4.output();
    ipv6 =
        network == null
            ? null
            : new Ipv6Layer(
                link,
                network,
                ours,
                paths,
                loop,
                pathMtus,
                reassembly,
                handOver,
                limit,
                counters,
                transport,
                member,
                mtu);
    others = new HandOverInput(handOver, transport, ipv4, ipv6, paths, pathMtus, counters);
    up = device.up();
  }

  /** Connections of all stacks of the interface by remote address. */
  public SharedCounts connections() {
    return member.connections();
  }

  /** The counters of this interface. */
  public IpCounters counters() {
    return counters;
  }

  /**
   * Sets the receiver of lines about other stations that claim a neighbour's address, and about
   * another default router; of each at most one in ten seconds.
   */
  public void reportTo(Consumer<String> receiver) {
    if (ipv4 != null) {
      ipv4.reportTo(receiver);
    }
    if (ipv6 != null) {
      ipv6.reportTo(receiver);
    }
  }

  /** Whether the number of a remote address means one of IPv6. */
  public static boolean isIpv6(int remote) {
    return remote >>> FIRST_OCTET == 0;
  }

  /**
   * The number of a remote address. That of IPv6 stays until the next packet is processed, or as
   * long as it has users: {@link #path}.
   *
   * @return 0 if the interface has no address of that family
   */
  public int number(HostAddress remote) {
    return switch (remote) {
      case Ipv4Address v4 -> ipv4 == null ? 0 : v4.bits();
      case Ipv6Address v6 -> ipv6 == null ? 0 : ipv6.path(v6).number;
    };
  }

  /** What the number of a remote address means; null if that is an address of IPv4. */
  public Ipv6Path path(int remote) {
    return isIpv6(remote) ? paths.at(remote) : null;
  }

  /** Has the number of a path stay until {@link #release}. */
  public void acquire(Ipv6Path path) {
    paths.acquire(path);
  }

  /** One {@link #acquire} less. */
  public void release(Ipv6Path path) {
    paths.release(path);
  }

  /** Whether a remote address is our own. */
  public boolean isOurs(int remote) {
    return isIpv6(remote) ? paths.at(remote).toUs : remote == address;
  }

  /** The partial sum of the pseudo header of a TCP segment to or from a remote address. */
  public long pseudoHeader(int remote, int length) {
    return isIpv6(remote)
        ? paths.at(remote).pseudoHeader(Ipv4.PROTOCOL_TCP, length)
        : Checksum.pseudoHeader(address, remote, Ipv4.PROTOCOL_TCP, length);
  }

  /** Whether our queue receives what comes from a remote address and port, if that is foretold. */
  public boolean receives(int remote, int remotePort, int localPort) {
    if (!isIpv6(remote)) {
      return device.receives(remote, remotePort, address, localPort);
    }
    Ipv6Path path = paths.at(remote);
    return device.receives(
        path.high, path.low, remotePort, path.localHigh, path.localLow, localPort);
  }

  /** Whether {@link #receives} tells for every connection with a remote address. */
  public boolean foretells(int remote) {
    return device.foretells(isIpv6(remote));
  }

  /**
   * Claims a local port towards a remote address and port, where other stacks of the interface
   * might choose it, too.
   *
   * @return false if another stack has it
   */
  public boolean claim(int remote, int remotePort, int localPort) {
    return member.claim(handOver.slot(remote, remotePort, localPort));
  }

  /** The connection whose local port was claimed has ended. */
  public void releaseClaim(int remote, int remotePort, int localPort) {
    member.release(handOver.slot(remote, remotePort, localPort));
  }

  /** Our address of IPv4; 0 if there is none. */
  public int address() {
    return address;
  }

  /** The largest packet sent, in octets: the least of device, configuration and pool. */
  public int mtu() {
    return mtu;
  }

  /**
   * The largest packet, in octets, that holds several TCP segments one behind the other: {@link
   * FrameDevice#longestFrame}.
   */
  public int longestFrame() {
    return longestFrame;
  }

  /** The largest packet that the link carries to a destination, in octets. */
  public int linkMtu(int destination) {
    return pathMtus.link(destination);
  }

  /** The largest packet that the path to a destination is known to carry, in octets. */
  public int pathMtu(int destination) {
    return pathMtus.get(destination);
  }

  /**
   * Lowers the MTU of a path for ten minutes, but not below 296 octets, or 1280 with IPv6. A larger
   * value than the current one has no effect.
   */
  public void lowerPathMtu(int destination, int octets, long now) {
    pathMtus.lower(destination, octets, now);
    if (!member.isAlone()) {
      handOver.tellPathMtu(destination, octets);
    }
  }

  /**
   * Receives and processes one burst of the device, and one of the frames that wait for ourselves;
   * returns the number of frames.
   */
  public int receive(long now) {
    // What a turn takes is bounded in octets, too.
    long[] packets = receivesLong ? longBurst : burst;
    int count = device.receive(packets);
    if (count > 0 && longestFrame > mtu) {
      receivesLong = holdsLong(packets, count);
    }
    if (count > 1 && transport.wantsPrefetch()) {
      prefetch(packets, count);
    }
    process(packets, count, now);
    counters.framesIn += count;
    if (!loop.isEmpty()) {
      count += receiveLooped(now);
    }
    return member.isAlone() ? count : count + receiveFromOthers(now);
  }

  private boolean holdsLong(long[] packets, int count) {
    boolean any = false;
    for (int i = 0; i < count; i++) {
      any |= pool.length(packets[i]) > mtu + link.header();
    }
    return any;
  }

  private int receiveFromOthers(long now) {
    int count = member.receive(others, now);
    member.wakeOthers();
    return count;
  }

  /**
   * Hands over a segment without a connection to the next stack of the interface that may have it.
   *
   * @param port local port
   * @param address of the TCP header
   * @param length octets of header and payload
   * @param packet that holds them
   * @param quietly no other stack is to answer it by a reset
   * @return false if no other stack may have it, which has seen nothing of it then
   */
  public boolean handOver(
      int port,
      int source,
      long senderMac,
      int ecn,
      long address,
      int length,
      long packet,
      boolean quietly) {
    return handOver.segment(port, source, senderMac, ecn, address, length, packet, quietly);
  }

  /** Whether the segment at hand, which another stack has handed over, is not to be reset. */
  public boolean isQuiet() {
    return handOver.isQuiet();
  }

  /** Hands over an error about a packet without a connection here: {@link #handOver}. */
  public void handOverUnreachable(
      int code, int remote, int localPort, int remotePort, int sequence) {
    handOver.error(Kind.UNREACHABLE, code, remote, localPort, remotePort, sequence);
  }

  /** Hands over a claim about a packet without a connection here: {@link #handOver}. */
  public void handOverTooBig(int remote, int pathMtu, int localPort, int remotePort, int sequence) {
    handOver.error(Kind.TOO_BIG, pathMtu, remote, localPort, remotePort, sequence);
  }

  private int receiveLooped(long now) {
    int count = loop.receive(now, burst);
    looped = true;
    try {
      process(burst, count, now);
    } finally {
      looped = false;
    }
    return count;
  }

  /** Processes and releases the frames of a burst, whatever happens. */
  private void process(long[] packets, int count, long now) {
    int done = 0;
    try {
      while (done < count) {
        long packet = packets[done];
        frame(packet, now);
        handOver.done(packet);
        done++;
      }
    } finally {
      // None is left but after an error, which ends the turn.
      while (done < count) {
        handOver.done(packets[done++]);
      }
    }
  }

  /**
   * Passes the frames from us to our own address to a sink, which the device does not see.
   *
   * @param sink receives each frame once, with the time passed to {@link #receive}; null to stop
   */
  public void captureLooped(CaptureSink sink) {
    loop.capture(sink);
  }

  /** Lets the transport prefetch the state that the packets of a burst need. */
  private void prefetch(long[] packets, int count) {
    for (int i = 0; i < count; i++) {
      long frame = pool.address(packets[i]);
      int length = pool.length(packets[i]);
      int header = link.header(frame, length);
      long packet = frame + header;
      if (header > 0
          && Ipv4.wellFormed(packet, length - header)
          && Ipv4.totalLength(packet) >= Ipv4.headerLength(packet) + PORTS) {
        transport.addToPrefetch(Ipv4.source(packet), packet + Ipv4.headerLength(packet));
      } else if (header > 0 && ipv6 != null && Ipv6.wellFormed(packet, length - header)) {
        prefetchIpv6(packet);
      }
    }
    transport.prefetch();
  }

  private void prefetchIpv6(long packet) {
    int number = ipv6.numberOfSource(packet);
    if (number != 0
        && Ipv6.nextHeader(packet) == Ipv4.PROTOCOL_TCP
        && Ipv6.payloadLength(packet) >= PORTS) {
      transport.addToPrefetch(number, packet + Ipv6.HEADER);
    }
  }

  private void frame(long packet, long now) {
    long frame = pool.address(packet);
    int length = pool.length(packet);
    int header = link.header(frame, length);
    if (header == 0) {
      counters.malformed++;
      return;
    }
    long destination = Ethernet.destination(frame);
    boolean ours = destination == link.macAddress();
    if (header < 0
        || !(ours || isToGroup(destination))
        || !Ethernet.unicast(Ethernet.source(frame))) {
      counters.framesIgnored++;
      return;
    }
    int type = header == Ethernet.HEADER ? Ethernet.type(frame) : Vlan.type(frame);
    long payload = frame + header;
    int octets = length - header;
    if (type == Ethernet.TYPE_IPV4 && ours && ipv4Input != null) {
      ipv4Input.packet(payload, octets, Ethernet.source(frame), packet, looped, now);
    } else {
      other(type, Ethernet.source(frame), ours, payload, octets, packet, now);
    }
  }

  /** All but what {@link Ipv4Input} gets. */
  private void other(
      int type, long sender, boolean ours, long payload, int octets, long packet, long now) {
    if (type == Ethernet.TYPE_IPV6 && ipv6 != null) {
      ipv6.input().packet(payload, octets, sender, ours, packet, looped, now);
    } else if (type == Ethernet.TYPE_ARP && ipv4 != null) {
      ipv4.onArp(payload, octets, now);
    } else {
      counters.framesIgnored++;
    }
  }

  private boolean isToGroup(long destination) {
    return destination == Ethernet.BROADCAST || (ipv6 != null && ipv6.joined(destination));
  }

  /**
   * The next hop to an address: the host itself if it is on the link or us, else the gateway.
   *
   * @return null if there is no gateway, or too many neighbours are in use
   */
  public Neighbour route(int destination) {
    if (isIpv6(destination)) {
      return ipv6.routes().route(paths.at(destination));
    }
    return ipv4.route(destination);
  }

  /** Whether there is a route to an address. */
  public boolean reaches(int destination) {
    if (isIpv6(destination)) {
      return ipv6.routes().reaches(paths.at(destination));
    }
    return ipv4.reaches(destination);
  }

  /** Whether the device completes TCP checksums: {@link #requestOffload}. */
  public boolean offloadsChecksum() {
    return (device.offloads() & Offloads.CHECKSUM) != 0;
  }

  /** Whether the device also cuts long segments. */
  public boolean offloadsSegmentation() {
    return (device.offloads() & Offloads.SEGMENTATION) != 0;
  }

  /**
   * Has the device complete the TCP checksum of a packet that is {@linkplain #send sent} next.
   *
   * @param remote the destination
   * @param tcpHeader octets of the TCP header
   * @param segment see {@link FrameDevice#requestOffload}
   */
  public void requestOffload(long packet, int remote, int tcpHeader, int segment) {
    int header = isIpv6(remote) ? Ipv6.HEADER : Ipv4.HEADER;
    device.requestOffload(packet, link.header(), header, tcpHeader, segment);
  }

  /**
   * The device's verdict on a received packet's TCP checksum: {@link FrameDevice#checksum}. What we
   * have sent ourselves lacks its checksum if the device would have computed it, and is right then.
   * What another stack has handed over it has checked.
   */
  public int checksum(long packet) {
    if (handOver.fromAnother()) {
      return Offloads.GOOD;
    }
    if (looped) {
      return offloadsChecksum() ? Offloads.GOOD : Offloads.UNKNOWN;
    }
    return device.checksum(packet);
  }

  /** Whether another packet can be queued now. */
  public boolean room() {
    return link.room();
  }

  /**
   * Writes IP and Ethernet headers in front of a TCP segment and queues the frame, or keeps it
   * until the neighbour's MAC address is known. Call only while there is {@link #room()}. Takes
   * over the reference.
   *
   * @param payload first octet of the payload, with room for the headers in front
   * @param length its octets
   * @param ecn the ECN codepoint of the packet, such as {@link Ipv4#ECT_0}
   */
  public void send(
      Neighbour neighbour,
      long packet,
      long payload,
      int length,
      int destination,
      int ecn,
      long now) {
    if (isIpv6(destination)) {
      Ipv6Path path = paths.at(destination);
      ipv6.send(neighbour, path, packet, payload, length, ecn, now);
    } else {
      ipv4Output.send(neighbour, packet, payload, length, destination, ecn, now);
    }
  }

  /**
   * Sends a TCP segment that answers to the MAC address of the request, without a neighbour entry,
   * so that unknown hosts create no state. Otherwise like {@link #send}, but the caller keeps its
   * reference.
   */
  public void reply(long packet, long payload, int length, int destination, long macAddress) {
    if (isIpv6(destination)) {
      ipv6.reply(paths.at(destination), packet, payload, length, macAddress);
    } else {
      ipv4Output.reply(packet, payload, length, Ipv4.PROTOCOL_TCP, destination, macAddress);
    }
  }

  /**
   * Announces our addresses, now and in two seconds (RFC 5227 section 2.3): at the start, and when
   * the link has come up. Those of IPv6 are checked first, and not used meanwhile. The first stack
   * of an interface does both for all.
   */
  public void announce(long now) {
    if (member.isFirst()) {
      if (ipv4 != null) {
        ipv4.announce(now);
      }
      if (ipv6 != null) {
        ipv6.announce(now);
      }
    }
    if (ipv6 != null) {
      ipv6.start(now);
    }
  }

  /** Runs the timers that are due; returns how many fired. */
  public int advance(long now) {
    watchLink(now);
    return pathMtus.advance(now)
        + reassembly.advance(now)
        + (ipv4 == null ? 0 : ipv4.advance(now))
        + (ipv6 == null ? 0 : ipv6.advance(now));
  }

  /** Announces the addresses when the link comes up, since its hosts may be others than before. */
  private void watchLink(long now) {
    boolean was = up;
    up = device.up();
    if (up && !was) {
      announce(now);
    } else if (was && !up) {
      counters.linkDowns++;
    }
  }

  /**
   * When the next timer is due; {@link Long#MAX_VALUE} for never, {@link Long#MIN_VALUE} while
   * frames to ourselves wait to be received.
   */
  public long nextDeadline() {
    if (!loop.isEmpty()) {
      return Long.MIN_VALUE;
    }
    long first = Math.min(pathMtus.nextDeadline(), reassembly.nextDeadline());
    first = ipv4 == null ? first : Math.min(first, ipv4.nextDeadline());
    return ipv6 == null ? first : Math.min(first, ipv6.nextDeadline());
  }

  /**
   * Passes queued frames to the device.
   *
   * @return how many it took, and how many to ourselves wait to be received
   */
  public int transmit() {
    return link.flush() + loop.size();
  }

  /** Whether frames wait until the device takes them. */
  public boolean hasUnsentFrames() {
    return link.hasUnsentFrames();
  }

  /** The largest TCP payload, without TCP options, in a packet to or from a remote address. */
  public static int mss(int remote, int mtu) {
    return mtu - header(remote) - Tcp.HEADER;
  }

  /** Octets of the IP header of a packet to a remote address. */
  private static int header(int remote) {
    return isIpv6(remote) ? Ipv6.HEADER : Ipv4.HEADER;
  }

  /** Releases every packet that waits. */
  public void close() {
    loop.close();
    member.close(pool);
    if (ipv4 != null) {
      ipv4.close();
    }
    if (ipv6 != null) {
      ipv6.close();
    }
    reassembly.close();
    // Last, as a device that has failed may throw.
    link.close();
  }
}
