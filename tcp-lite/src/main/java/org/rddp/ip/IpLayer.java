package org.rddp.ip;

import java.util.Optional;
import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.device.TransmitQueue;
import org.rddp.wire.Arp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;

/**
 * IPv4 on one device: takes frames apart and checks them, answers echoes, finds the next hop, and
 * queues what the transport sends. Packets leave with DF set; fragments are not accepted.
 */
public final class IpLayer {
  private static final int BURST = 64;
  private static final int QUEUED_FRAMES = 256;
  private static final int FEWEST_QUEUED_FRAMES = 4;

  private final FrameDevice device;
  private final PacketPool pool;
  private final TransmitQueue transmit;
  private final Neighbours neighbours;
  private final PathMtus pathMtus;
  private final IpCounters counters = new IpCounters();
  private final TransportHandler transport;
  private final long[] burst = new long[BURST];
  private final long macAddress;
  private final int address;
  private final int mask;
  private final Optional<Ipv4Address> gateway;
  private final int mtu;

  /** IPv4 for one transport on one device. */
  public IpLayer(FrameDevice device, InterfaceAddress address, TransportHandler transport) {
    this.device = device;
    this.transport = transport;
    pool = device.pool();
    macAddress = device.macAddress();
    this.address = address.address().bits();
    mask = -1 << (32 - address.prefixLength());
    gateway = address.gateway();
    mtu = Math.min(Math.min(device.mtu(), address.mtu()), pool.room() - Ethernet.HEADER);
    // A device that takes nothing must not end up with every packet there is.
    int frames = Math.max(Math.min(QUEUED_FRAMES, pool.capacity() / 8), FEWEST_QUEUED_FRAMES);
    transmit = new TransmitQueue(device, frames);
    pathMtus = new PathMtus(mtu, transport);
    neighbours = new Neighbours(pool, transmit, counters, macAddress, this.address);
  }

  /** What has been seen. */
  public IpCounters counters() {
    return counters;
  }

  /** Our address. */
  public int address() {
    return address;
  }

  /** The largest packet that leaves, in octets: the least of device, configuration and pool. */
  public int mtu() {
    return mtu;
  }

  /** The largest packet that the path to a destination is known to carry, in octets. */
  public int pathMtu(int destination) {
    return pathMtus.get(destination);
  }

  /**
   * Remembers that a path carries no more than that: for ten minutes, and whatever is said, at
   * least 296 octets. A larger value than is known changes nothing.
   */
  public void lowerPathMtu(int destination, int octets, long now) {
    pathMtus.lower(destination, octets, now);
  }

  /** Takes one burst from the device and handles it; returns how many frames it had. */
  public int receive(long now) {
    int count = device.receive(burst);
    for (int i = 0; i < count; i++) {
      long packet = burst[i];
      frame(packet, now);
      pool.release(packet);
    }
    counters.framesIn += count;
    return count;
  }

  private void frame(long packet, long now) {
    long frame = pool.address(packet);
    int length = pool.length(packet);
    if (!Ethernet.wellFormed(length)) {
      counters.malformed++;
      return;
    }
    long destination = Ethernet.destination(frame);
    boolean ours = destination == macAddress;
    int type = Ethernet.type(frame);
    long payload = frame + Ethernet.HEADER;
    int octets = length - Ethernet.HEADER;
    if (type == Ethernet.TYPE_IPV4 && ours) {
      packet(payload, octets, Ethernet.source(frame), packet);
    } else if (type == Ethernet.TYPE_ARP && (ours || destination == Ethernet.BROADCAST)) {
      if (Arp.wellFormed(payload, octets)) {
        neighbours.onMessage(payload, now);
      } else {
        counters.malformed++;
      }
    } else {
      counters.framesIgnored++;
    }
  }

  private void packet(long header, int available, long senderMac, long packet) {
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
    if (Ipv4.fragment(header)) {
      counters.fragments++;
      return;
    }
    int headerLength = Ipv4.headerLength(header);
    long payload = header + headerLength;
    int length = Ipv4.totalLength(header) - headerLength;
    switch (Ipv4.protocol(header)) {
      case Ipv4.PROTOCOL_TCP ->
          transport.onDatagram(source, senderMac, Ipv4.ecn(header), payload, length, packet);
      case Ipv4.PROTOCOL_ICMP -> icmp(payload, length, source, senderMac, packet);
      default -> counters.unknownProtocols++;
    }
  }

  /** Whether a packet may come from there: one host, not us, not the link's broadcast address. */
  private boolean hostAddress(int source) {
    boolean broadcast = (source | mask) == -1 && onLink(source) && mask < -2;
    return Ipv4Address.unicast(source) && source != address && !broadcast;
  }

  private void icmp(long message, int length, int source, long senderMac, long packet) {
    if (!Icmpv4.wellFormed(message, length)) {
      counters.checksumErrors++;
      return;
    }
    int type = Icmpv4.type(message);
    if (type == Icmpv4.ECHO) {
      if (transmit.room() && !pool.shared(packet) && length + Ipv4.HEADER <= mtu) {
        Icmpv4.reply(message);
        reply(packet, message, length, Ipv4.PROTOCOL_ICMP, source, senderMac);
        counters.echoes++;
      }
    } else if (type == Icmpv4.UNREACHABLE) {
      counters.icmpErrors++;
      unreachable(message, length);
    }
  }

  private void unreachable(long message, int length) {
    long quoted = Icmpv4.quoted(message);
    int octets = length - Icmpv4.HEADER;
    if (octets < Ipv4.HEADER) {
      return;
    }
    int headerLength = Ipv4.headerLength(quoted);
    if (headerLength >= Ipv4.HEADER
        && octets >= headerLength + 8
        && Ipv4.protocol(quoted) == Ipv4.PROTOCOL_TCP
        && Ipv4.source(quoted) == address) {
      undelivered(message, quoted, octets);
    }
  }

  private void undelivered(long message, long quoted, int octets) {
    int code = Icmpv4.code(message);
    int remote = Ipv4.destination(quoted);
    int headerLength = Ipv4.headerLength(quoted);
    long header = quoted + headerLength;
    int length = octets - headerLength;
    if (code != Icmpv4.FRAGMENTATION_NEEDED) {
      transport.onUnreachable(code, remote, header, length);
      return;
    }
    int packet = Ipv4.totalLength(quoted);
    int claimed = PathMtus.claimed(Icmpv4.nextHopMtu(message), packet);
    if (claimed < packet && claimed < pathMtu(remote)) {
      transport.onTooBig(remote, claimed, header, length);
    }
  }

  /**
   * The neighbour through which an address is reached: the host itself on the link, else the
   * gateway.
   *
   * @return null when there is no gateway, or too many neighbours are in use
   */
  public Neighbour route(int destination) {
    if (onLink(destination)) {
      return neighbours.find(destination);
    }
    return gateway.isPresent() ? neighbours.find(gateway.get().bits()) : null;
  }

  private boolean onLink(int other) {
    return ((other ^ address) & mask) == 0;
  }

  /** Whether another packet would be taken now. */
  public boolean room() {
    return transmit.room();
  }

  /**
   * Puts IP and Ethernet headers in front of a payload and queues the frame, or lets it wait for
   * the neighbour's MAC address. Call only while there is {@link #room()}. Takes over the
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
    long header = payload - Ipv4.HEADER;
    int total = length + Ipv4.HEADER;
    Ipv4.write(header, total, Ipv4.PROTOCOL_TCP, address, destination, ecn);
    if (neighbour.macAddress == Neighbour.UNKNOWN) {
      pool.window(packet, header, total);
      neighbours.hold(neighbour, packet, now);
      return;
    }
    if (now >= neighbour.confirmAt) {
      neighbours.confirm(neighbour, now);
    }
    queue(packet, header, total, neighbour.macAddress);
  }

  /**
   * Sends an answer straight to where the question came from, without a neighbour: so strangers
   * leave no state here. Otherwise like {@link #send}, but for the reference: the caller keeps its
   * own.
   */
  public void reply(
      long packet, long payload, int length, int protocol, int destination, long macAddress) {
    long header = payload - Ipv4.HEADER;
    Ipv4.write(header, length + Ipv4.HEADER, protocol, address, destination);
    pool.retain(packet);
    queue(packet, header, length + Ipv4.HEADER, macAddress);
  }

  private void queue(long packet, long header, int length, long destination) {
    long frame = header - Ethernet.HEADER;
    Ethernet.write(frame, destination, macAddress, Ethernet.TYPE_IPV4);
    pool.window(packet, frame, length + Ethernet.HEADER);
    if (!transmit.offer(packet)) {
      pool.release(packet);
    }
  }

  /** Does what is due; returns how much. */
  public int advance(long now) {
    return neighbours.advance(now) + pathMtus.advance(now);
  }

  /** When {@link #advance} has something to do; {@link Long#MAX_VALUE} for never. */
  public long nextDeadline() {
    return Math.min(neighbours.nextDeadline(), pathMtus.nextDeadline());
  }

  /** Hands queued frames to the device; returns how many it took. */
  public int transmit() {
    return transmit.flush();
  }

  /** Octets that IP and Ethernet put in front of a transport segment. */
  public static int headers() {
    return Ipv4.HEADER + Ethernet.HEADER;
  }

  /** The largest TCP payload, without TCP options, in a packet of the given size. */
  public static int mss(int mtu) {
    return mtu - Ipv4.HEADER - Tcp.HEADER;
  }

  /** Gives back every packet that waits here. */
  public void close() {
    transmit.flush();
    transmit.clear();
    neighbours.close();
  }
}
