package org.rddp.ip;

import java.util.Optional;
import java.util.function.Consumer;
import org.rddp.device.CaptureSink;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.device.PacketPool;
import org.rddp.wire.Arp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.Vlan;

/**
 * IPv4 on one device: parses and checks received frames and passes their payload on; finds the next
 * hop of packets from the transport and queues them. Sent packets have DF set. Packets to our own
 * address do not reach the device: they are received in a later burst.
 */
public final class IpLayer {
  /** Most frames that are received at once. */
  public static final int BURST = 64;

  private static final int PORTS = 8;

  private final FrameDevice device;
  private final PacketPool pool;
  private final EthernetLink link;
  private final Announcement announcement;
  private final Neighbours neighbours;
  private final PathMtus pathMtus;
  private final Loop loop;
  private final IpOutput output;
  private final IcmpErrors errors;
  private final IcmpInput icmp;
  private final Reassembly reassembly;
  private final IpCounters counters = new IpCounters();
  private final TransportHandler transport;
  private final long[] burst = new long[BURST];
  private final int address;
  private final int mask;
  private final Optional<Ipv4Address> gateway;
  private final int mtu;
  private final StackMember member;
  private boolean up;

  /** Whether the frame being processed is from ourselves, and not from the device. */
  private boolean looped;

  /** The stack that received what is being processed. */
  private int origin = StackMember.HERE;

  /** Whether another stack has got the packet being processed. */
  private boolean handedOver;

  /** The packet at hand is not to be answered by a reset: another stack had a reason against it. */
  private boolean quiet;

  /** IPv4 for one transport on one device, or on one queue of it. */
  public IpLayer(
      FrameDevice device,
      InterfaceAddress address,
      StackMember member,
      TransportHandler transport) {
    this.device = device;
    this.member = member;
    this.transport = transport;
    pool = device.pool();
    this.address = address.address().bits();
    mask = -1 << (32 - address.prefixLength());
    gateway = address.gateway();
    link = new EthernetLink(device, address.vlan());
    mtu = Math.min(Math.min(device.mtu(), address.mtu()), pool.room() - link.header());
    pathMtus = new PathMtus(mtu, transport);
    announcement = new Announcement(link, counters, this.address);
    neighbours = new Neighbours(link, announcement, counters, this.address);
    loop = new Loop(link, counters, this.address);
    output = new IpOutput(link, neighbours, loop, this.address);
    errors = new IcmpErrors(output, pool, counters);
    icmp = new IcmpInput(output, pool, pathMtus, transport, counters, this.address, mtu);
    reassembly = new Reassembly(pool, errors, counters, mtu);
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
   * Sets the receiver of lines about other stations that claim a neighbour's address; at most one
   * in ten seconds.
   */
  public void reportConflictsTo(Consumer<String> receiver) {
    neighbours.reportConflictsTo(receiver);
  }

  /** Our address. */
  public int address() {
    return address;
  }

  /** The largest packet sent, in octets: the least of device, configuration and pool. */
  public int mtu() {
    return mtu;
  }

  /** The largest packet that the path to a destination is known to carry, in octets. */
  public int pathMtu(int destination) {
    return pathMtus.get(destination);
  }

  /**
   * Lowers the MTU of a path for ten minutes, but not below 296 octets. A larger value than the
   * current one has no effect.
   */
  public void lowerPathMtu(int destination, int octets, long now) {
    pathMtus.lower(destination, octets, now);
    if (!member.isAlone()) {
      member.tell(StackMember.PATH_MTU, 0, destination, octets, 0);
    }
  }

  /**
   * Receives and processes one burst of the device, and one of the frames that wait for ourselves;
   * returns the number of frames.
   */
  public int receive(long now) {
    int count = device.receive(burst);
    if (count > 1 && transport.wantsPrefetch()) {
      prefetch(count);
    }
    for (int i = 0; i < count; i++) {
      long packet = burst[i];
      frame(packet, now);
      done(packet);
    }
    counters.framesIn += count;
    if (!loop.isEmpty()) {
      count += receiveLooped(now);
    }
    return member.isAlone() ? count : count + receiveFromOthers(now);
  }

  /** Releases a packet that has been processed, unless another stack has it now. */
  private void done(long packet) {
    if (handedOver) {
      handedOver = false;
    } else {
      pool.release(packet);
    }
  }

  private int receiveFromOthers(long now) {
    int count = member.receive(this, now);
    member.wakeOthers();
    return count;
  }

  /** Processes what another stack has handed over. The parameters: {@link StackMember#passOn}. */
  void handedOver(
      int kind, int from, int code, int length, long a, long b, int remote, long mac, long now) {
    origin = from;
    try {
      switch (kind) {
        case StackMember.SEGMENT, StackMember.QUIET_SEGMENT -> {
          quiet = kind == StackMember.QUIET_SEGMENT;
          counters.handedOverIn++;
          transport.onDatagram(remote, mac, code, b, length, a);
          done(a);
        }
        case StackMember.UNREACHABLE ->
            transport.onUnreachable(code, remote, (int) a >>> 16, (int) a & 0xffff, (int) b);
        case StackMember.TOO_BIG ->
            transport.onTooBig(remote, length, (int) a >>> 16, (int) a & 0xffff, (int) b);
        case StackMember.ARP -> neighbours.told(code, remote, a, (int) b, now);
        default -> {
          pathMtus.lower(remote, (int) a, now);
          transport.onPathMtu(remote, pathMtus.get(remote));
        }
      }
    } finally {
      origin = StackMember.HERE;
      quiet = false;
    }
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
    if (!member.hasNext(port, origin)) {
      return false;
    }
    long given = pool.shared(packet) ? copy(address, length) : packet;
    long from = given == packet ? address : pool.address(given);
    if (given == 0) {
      counters.handOversDropped++;
    } else if (member.passOn(
        quiet || quietly ? StackMember.QUIET_SEGMENT : StackMember.SEGMENT,
        port,
        origin,
        ecn,
        length,
        given,
        from,
        source,
        senderMac)) {
      counters.handedOver++;
      handedOver = given == packet;
    } else {
      counters.handOversDropped++;
      if (given != packet) {
        pool.release(given);
      }
    }
    return true;
  }

  /** Whether the segment at hand, which another stack has handed over, is not to be reset. */
  public boolean isQuiet() {
    return quiet;
  }

  /** A packet with those octets, for another stack; 0 if there is none. */
  private long copy(long address, int length) {
    long packet = pool.allocate();
    if (packet != 0) {
      Memory.copy(address, pool.address(packet), length);
      pool.window(packet, pool.address(packet), length);
    }
    return packet;
  }

  /** Hands over an error about a packet without a connection here: {@link #handOver}. */
  public void handOverUnreachable(
      int code, int remote, int localPort, int remotePort, int sequence) {
    handOverError(StackMember.UNREACHABLE, code, 0, remote, localPort, remotePort, sequence);
  }

  /** Hands over a claim about a packet without a connection here: {@link #handOver}. */
  public void handOverTooBig(int remote, int pathMtu, int localPort, int remotePort, int sequence) {
    handOverError(StackMember.TOO_BIG, 0, pathMtu, remote, localPort, remotePort, sequence);
  }

  private void handOverError(
      int kind, int code, int pathMtu, int remote, int localPort, int remotePort, int sequence) {
    if (member.hasNext(localPort, origin)) {
      long ports = (long) localPort << 16 | remotePort;
      if (member.passOn(kind, localPort, origin, code, pathMtu, ports, sequence, remote, 0)) {
        counters.handedOver++;
      } else {
        counters.handOversDropped++;
      }
    }
  }

  private int receiveLooped(long now) {
    int count = loop.receive(now, burst);
    looped = true;
    try {
      for (int i = 0; i < count; i++) {
        frame(burst[i], now);
        done(burst[i]);
      }
    } finally {
      looped = false;
    }
    return count;
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
  private void prefetch(int count) {
    for (int i = 0; i < count; i++) {
      long frame = pool.address(burst[i]);
      int length = pool.length(burst[i]);
      int header = link.header(frame, length);
      long packet = frame + header;
      if (header > 0
          && Ipv4.wellFormed(packet, length - header)
          && Ipv4.totalLength(packet) >= Ipv4.headerLength(packet) + PORTS) {
        transport.addToPrefetch(Ipv4.source(packet), packet + Ipv4.headerLength(packet));
      }
    }
    transport.prefetch();
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
        || !(ours || destination == Ethernet.BROADCAST)
        || !Ethernet.unicast(Ethernet.source(frame))) {
      counters.framesIgnored++;
      return;
    }
    int type = header == Ethernet.HEADER ? Ethernet.type(frame) : Vlan.type(frame);
    long payload = frame + header;
    int octets = length - header;
    if (type == Ethernet.TYPE_IPV4 && ours) {
      packet(payload, octets, Ethernet.source(frame), packet, now);
    } else if (type == Ethernet.TYPE_ARP) {
      if (Arp.wellFormed(payload, octets)) {
        neighbours.onMessage(payload, now);
        tellOthers(payload);
      } else {
        counters.malformed++;
      }
    } else {
      counters.framesIgnored++;
    }
  }

  /**
   * Tells the other stacks of an answer to us, which one of them may await, and of a host that
   * announces itself.
   */
  private void tellOthers(long message) {
    if (!member.isAlone()) {
      int sender = Arp.senderIp(message);
      int target = Arp.targetIp(message);
      if (sender != address && (target == address || target == sender)) {
        member.tell(
            StackMember.ARP, Arp.operation(message), sender, Arp.senderMac(message), target);
      }
    }
  }

  private void packet(long header, int available, long senderMac, long packet, long now) {
    if (!Ipv4.wellFormed(header, available)) {
      counters.malformed++;
      return;
    }
    if (!Ipv4.intact(header)) {
      counters.checksumErrors++;
      return;
    }
    int source = Ipv4.source(header);
    if (Ipv4.destination(header) != address || !hostAddress(source)) {
      counters.addressErrors++;
      return;
    }
    int protocol = Ipv4.protocol(header);
    if (protocol != Ipv4.PROTOCOL_TCP && protocol != Ipv4.PROTOCOL_ICMP) {
      counters.unknownProtocols++;
      if (Ipv4.fragmentOffset(header) == 0) {
        errors.send(Icmpv4.UNREACHABLE, Icmpv4.PROTOCOL_UNREACHABLE, 0, header, senderMac, now);
      }
    } else if (Ipv4.fragment(header)) {
      fragment(header, senderMac, packet, now);
    } else {
      int headerLength = Ipv4.headerLength(header);
      long payload = header + headerLength;
      int length = Ipv4.totalLength(header) - headerLength;
      payload(protocol, source, senderMac, Ipv4.ecn(header), payload, length, packet);
    }
  }

  private void payload(
      int protocol, int source, long senderMac, int ecn, long payload, int length, long packet) {
    if (protocol == Ipv4.PROTOCOL_TCP) {
      transport.onDatagram(source, senderMac, ecn, payload, length, packet);
    } else {
      icmp.onMessage(payload, length, source, senderMac, packet);
    }
  }

  private void fragment(long header, long senderMac, long packet, long now) {
    FragmentedDatagram datagram = reassembly.add(header, senderMac, packet, now);
    if (datagram == null) {
      return;
    }
    int protocol = datagram.protocol();
    int source = datagram.source();
    int ecn = datagram.ecn();
    long whole = reassembly.finish(datagram);
    if (whole == 0) {
      return;
    }
    if (ecn < 0) {
      counters.fragmentsDropped++;
    } else {
      payload(protocol, source, senderMac, ecn, pool.address(whole), pool.length(whole), whole);
    }
    done(whole);
  }

  /**
   * Whether an address is valid as a source: one host, not us unless the packet is ours, and
   * neither the network nor the broadcast address of the link (RFC 1122 section 3.2.1.3).
   */
  private boolean hostAddress(int source) {
    return Ipv4Address.unicast(source)
        && (source != address || looped)
        && !(onLink(source) && mask < -2 && ((source | mask) == -1 || (source & ~mask) == 0));
  }

  /**
   * The next hop to an address: the host itself if it is on the link or us, else the gateway.
   *
   * @return null if there is no gateway, or too many neighbours are in use
   */
  public Neighbour route(int destination) {
    if (destination == address) {
      return loop.self();
    }
    if (onLink(destination)) {
      return neighbours.find(destination);
    }
    return gateway.isPresent() ? neighbours.find(gateway.get().bits()) : null;
  }

  /** Whether there is a route to an address. */
  public boolean reaches(int destination) {
    return onLink(destination) || gateway.isPresent();
  }

  private boolean onLink(int other) {
    return ((other ^ address) & mask) == 0;
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
   * @param tcpHeader octets of the TCP header
   * @param segment see {@link FrameDevice#requestOffload}
   */
  public void requestOffload(long packet, int tcpHeader, int segment) {
    device.requestOffload(packet, link.header(), Ipv4.HEADER, tcpHeader, segment);
  }

  /**
   * The device's verdict on a received packet's TCP checksum: {@link FrameDevice#checksum}. What we
   * have sent ourselves lacks its checksum if the device would have computed it, and is right then.
   * What another stack has handed over it has checked.
   */
  public int checksum(long packet) {
    if (origin != StackMember.HERE) {
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
   * Writes IP and Ethernet headers in front of a payload and queues the frame, or keeps it until
   * the neighbour's MAC address is known. Call only while there is {@link #room()}. Takes over the
   * reference.
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
    output.send(neighbour, packet, payload, length, destination, ecn, now);
  }

  /**
   * Sends an answer to the MAC address of the request, without a neighbour entry, so that unknown
   * hosts create no state. Otherwise like {@link #send}, but the caller keeps its reference.
   */
  public void reply(
      long packet, long payload, int length, int protocol, int destination, long macAddress) {
    output.reply(packet, payload, length, protocol, destination, macAddress);
  }

  /**
   * Announces our address, now and in two seconds (RFC 5227 section 2.3): at the start, and when
   * the link has come up.
   */
  public void announce(long now) {
    if (member.isFirst()) {
      announcement.start(now);
    }
  }

  /** Runs the timers that are due; returns how many fired. */
  public int advance(long now) {
    watchLink(now);
    return neighbours.advance(now)
        + pathMtus.advance(now)
        + reassembly.advance(now)
        + announcement.advance(now);
  }

  /** Announces the address when the link comes up, since its hosts may be others than before. */
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
    long first = Math.min(neighbours.nextDeadline(), pathMtus.nextDeadline());
    return Math.min(first, Math.min(reassembly.nextDeadline(), announcement.nextDeadline()));
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

  /** The largest TCP payload, without TCP options, in a packet of the given size. */
  public static int mss(int mtu) {
    return mtu - Ipv4.HEADER - Tcp.HEADER;
  }

  /** Releases every packet that waits. */
  public void close() {
    link.close();
    loop.close();
    member.close(pool);
    neighbours.close();
    reassembly.close();
  }
}
