package org.rddp.ip;

import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.rddp.device.CaptureSink;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.device.PacketPool;
import org.rddp.group.StackMember;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Vlan;

/**
 * IP on one device, with IPv4, IPv6 or both: checks received frames and passes them to {@link
 * Ipv4Input} and {@link Ipv6Input}; finds the {@link Path}s of the transport's packets. Sent
 * packets are not fragmented. Packets to our own address do not reach the device: they are received
 * in a later burst.
 */
public final class IpLayer {
  /** The most frames received in one burst. */
  public static final int BURST = 64;

  private final IpContext context;
  private final FrameDevice device;
  private final PacketPool pool;
  private final EthernetLink link;
  private final Loop loop;
  private final HandOver handOver;
  private final HandOverInput others;

  /** IPv4; null if the interface has none. */
  private final Ipv4Layer ipv4;

  /** IPv4's input, which each segment needs; null without IPv4. */
  private final Ipv4Input ipv4Input;

  /** IPv6; null if the interface has none. */
  private final Ipv6Layer ipv6;

  private final IpCounters counters;
  private final TransportHandler transport;
  private final long[] burst = new long[BURST];

  /**
   * A burst of long frames: twice the octets of a burst of ordinary ones, so that what a peer sends
   * in one turn is taken in the next, while it is in the processor's cache.
   */
  private final long[] longBurst;

  /** Whether the last burst held a frame longer than the MTU allows. */
  private boolean receivesLong;

  /** The input under the security policy; null if the interface has none. */
  private final EspInput esp;

  private final int mtu;
  private final int longestFrame;
  private final StackMember member;
  private boolean up;

  /** Whether the frame being processed is from ourselves. */
  private boolean looped;

  /**
   * Creates IP for one transport on one device, or on one queue of it.
   *
   * @param random source of keys; used only with IPv6
   */
  public IpLayer(
      FrameDevice device,
      InterfaceAddress address,
      StackMember member,
      TransportHandler transport,
      RandomGenerator random) {
    this(device, address, member, transport, random, null);
  }

  /**
   * Creates IP like the other constructor, with a security policy.
   *
   * @param security of the interface for this stack; null for none
   */
  public IpLayer(
      FrameDevice device,
      InterfaceAddress address,
      StackMember member,
      TransportHandler transport,
      RandomGenerator random,
      IpSecurity security) {
    this.device = device;
    this.member = member;
    this.transport = transport;
    context = new IpContext(device, address, member, transport, security);
    pool = context.pool;
    link = context.link;
    loop = context.loop;
    handOver = context.handOver;
    counters = context.counters;
    mtu = context.mtu;
    longestFrame = device.longestFrame() > device.mtu() ? device.longestFrame() : mtu;
    longBurst = new long[Math.clamp(2 * BURST * mtu / longestFrame, 1, BURST)];
    ipv4 = address.ipv4().map(network -> new Ipv4Layer(context, network)).orElse(null);
    ipv4Input = ipv4 == null ? null : ipv4.input();
    ipv6 =
        address
            .ipv6()
            .map(network -> new Ipv6Layer(context, network, random.nextLong()))
            .orElse(null);
    others = new HandOverInput(context, ipv4, ipv6);
    up = device.up();
    esp = context.input;
    if (security != null) {
      if (ipv4Input != null) {
        ipv4Input.connect(this);
      }
      if (ipv6 != null) {
        ipv6.input().connect(this);
      }
      context.output.connect(this);
    }
  }

  /** The counters of this interface. */
  public IpCounters counters() {
    return counters;
  }

  /**
   * Sets the receiver of lines about other stations that claim a neighbour's address, and about a
   * new default router; at most one of each in ten seconds.
   */
  public void reportTo(Consumer<String> receiver) {
    if (ipv4 != null) {
      ipv4.reportTo(receiver);
    }
    if (ipv6 != null) {
      ipv6.reportTo(receiver);
    }
  }

  /**
   * The path to a remote address. It is valid until the next packet is processed, unless kept.
   *
   * @return null if the interface has no address of that family
   */
  public Path path(HostAddress remote) {
    return switch (remote) {
      case Ipv4Address v4 -> ipv4 == null ? null : ipv4.path(v4.bits());
      case Ipv6Address v6 -> ipv6 == null ? null : ipv6.path(v6);
    };
  }

  /** The path with a number that {@link TransportHandler#onDatagram} was called with. */
  public Path path(int number) {
    return Path.isIpv6(number) ? ipv6.paths().at(number) : ipv4.path(number);
  }

  /** The largest packet sent, in octets: the least of device, configuration and pool. */
  public int mtu() {
    return mtu;
  }

  /**
   * The largest packet, in octets, that holds several TCP segments one behind the other: {@link
   * FrameDevice#longestFrame}. With a security policy only {@link #mtu}: a sealed packet holds one
   * segment.
   */
  public int longestFrame() {
    return esp == null ? longestFrame : mtu;
  }

  /** Whether the device takes packets longer than the MTU now: {@link FrameDevice#sendsLong}. */
  public boolean sendsLong() {
    return device.sendsLong();
  }

  /**
   * Receives and processes one burst of the device, and one of the waiting frames to ourselves;
   * returns the number of frames.
   */
  public int receive(long now) {
    if (esp != null) {
      context.output.begin(now);
    }
    // A turn is bounded in octets, too.
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

  /** The hand-over of packets to other stacks of the interface. */
  public HandOver handOver() {
    return handOver;
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

  /** Processes the frames of a burst; releases all of them even if one fails. */
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
      // Releases the rest after an error, which ends the turn.
      while (done < count) {
        handOver.done(packets[done++]);
      }
    }
  }

  /**
   * Passes the frames from us to our own address, which the device does not see, to a sink.
   *
   * @param sink receives each frame once, with the time passed to {@link #receive}; null to stop
   */
  public void captureLooped(CaptureSink sink) {
    loop.capture(sink);
  }

  /**
   * Passes the packets that are sealed, or have been opened, to a sink, in clear.
   *
   * @param sink receives each with a frame made for it, with the time passed to {@link #receive};
   *     null to stop
   */
  public void capturePlain(CaptureSink sink) {
    if (context.plain != null) {
      context.plain.to(sink);
    }
  }

  /** Lets the transport prefetch the state that the packets of a burst need. */
  private void prefetch(long[] packets, int count) {
    for (int i = 0; i < count; i++) {
      long frame = pool.address(packets[i]);
      int length = pool.length(packets[i]);
      int header = link.header(frame, length);
      long packet = frame + header;
      if (header > 0 && Ipv4.wellFormed(packet, length - header)) {
        int own = Ipv4.headerLength(packet);
        transport.addToPrefetch(Ipv4.source(packet), packet + own, Ipv4.totalLength(packet) - own);
      } else if (header > 0 && ipv6 != null && Ipv6.wellFormed(packet, length - header)) {
        prefetchIpv6(packet);
      }
    }
    transport.prefetch();
  }

  private void prefetchIpv6(long packet) {
    int number = ipv6.numberOfSource(packet);
    if (number != 0 && Ipv6.nextHeader(packet) == Ipv4.PROTOCOL_TCP) {
      transport.addToPrefetch(number, packet + Ipv6.HEADER, Ipv6.payloadLength(packet));
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

  /** Processes frames other than those for {@link Ipv4Input}. */
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

  /** Tells the transport that security associations for some paths have changed. */
  void onAssociations(Predicate<Path> paths) {
    transport.onAssociations(paths);
  }

  /** Passes a packet of IPv4 that has come in a tunnel on. */
  void tunnelledIpv4(long header, int available, long senderMac, int ecn, long packet) {
    if (ipv4Input == null) {
      esp.malformed();
    } else {
      ipv4Input.tunnelled(header, available, senderMac, ecn, packet);
    }
  }

  /** Passes a packet of IPv6 that has come in a tunnel on. */
  void tunnelledIpv6(long header, int available, long senderMac, int ecn, long packet) {
    if (ipv6 == null) {
      esp.malformed();
    } else {
      ipv6.input().tunnelled(header, available, senderMac, ecn, packet);
    }
  }

  private boolean isToGroup(long destination) {
    return destination == Ethernet.BROADCAST || (ipv6 != null && ipv6.joined(destination));
  }

  /**
   * Whether the device completes TCP checksums: {@link Path#requestOffload}. With a security policy
   * it does not: it cannot read what is sealed.
   */
  public boolean offloadsChecksum() {
    return offloads(Offloads.CHECKSUM);
  }

  /** Whether the device also cuts long segments. */
  public boolean offloadsSegmentation() {
    return offloads(Offloads.SEGMENTATION);
  }

  private boolean offloads(int kind) {
    return esp == null && (device.offloads() & kind) != 0;
  }

  /** Whether the device wants to know the size of the segments in a frame of several. */
  public boolean cutsTrains() {
    return Offloads.cutTrains(device.offloads());
  }

  /** Whether a frame of several segments arrives whole or not at all. */
  public boolean passesWhole() {
    return offloads(Offloads.WHOLE);
  }

  /** Whether the sum of a pseudo header includes the length of a frame that the device cuts. */
  public boolean sumsLength() {
    return (device.offloads() & Offloads.SUM_WITH_LENGTH) != 0;
  }

  /**
   * The device's verdict on a received packet's TCP checksum: {@link FrameDevice#checksum}. Packets
   * from ourselves lack a checksum that the device would have computed; they are good. So are
   * packets that another stack has checked and handed over.
   */
  public int checksum(long packet) {
    if (handOver.fromAnother()) {
      return Offloads.GOOD;
    }
    if (looped) {
      return offloadsChecksum() ? Offloads.GOOD : Offloads.UNKNOWN;
    }
    // The device's verdict on a sealed packet is not about TCP.
    return esp != null && esp.isOpen() ? Offloads.UNKNOWN : device.checksum(packet);
  }

  /** Whether another packet can be queued now. */
  public boolean room() {
    return link.room();
  }

  /**
   * Announces our addresses, now and in two seconds (RFC 5227 section 2.3): at the start, and when
   * the link has come up. IPv6 addresses are checked first, and not used meanwhile. The first stack
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
    return context.pathMtus.advance(now)
        + context.reassembly.advance(now)
        + (ipv4 == null ? 0 : ipv4.advance(now))
        + (ipv6 == null ? 0 : ipv6.advance(now));
  }

  /** Announces the addresses when the link comes up, since its hosts may have changed. */
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
    long first = Math.min(context.pathMtus.nextDeadline(), context.reassembly.nextDeadline());
    first = ipv4 == null ? first : Math.min(first, ipv4.nextDeadline());
    return ipv6 == null ? first : Math.min(first, ipv6.nextDeadline());
  }

  /**
   * Passes queued frames to the device.
   *
   * @return the frames that it took, plus those to ourselves that wait to be received
   */
  public int transmit() {
    return link.flush() + loop.size();
  }

  /** Whether frames wait until the device takes them. */
  public boolean hasUnsentFrames() {
    return link.hasUnsentFrames();
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
    context.reassembly.close();
    // Last, since a device that has failed may throw.
    link.close();
  }

  /**
   * Transfers the neighbours, paths and timers, and this stack's part of the security associations;
   * not the packets that wait.
   */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(IpLayer.class);
    receivesLong = snapshot.flag("receivesLong", receivesLong);
    up = snapshot.flag("up", up);
    snapshot.counters(counters);
    context.errorLimit.transfer(snapshot);
    if (member.isFirst()) {
      member.usableAddresses().transfer(snapshot);
    }
    if (snapshot.flag("ipv4", ipv4 != null)) {
      required(snapshot, ipv4, "IPv4").transfer(snapshot);
    }
    if (snapshot.flag("ipv6", ipv6 != null)) {
      required(snapshot, ipv6, "IPv6").transfer(snapshot);
    }
    context.pathMtus.transfer(snapshot, number -> path(snapshot, number));
    if (snapshot.flag("security", esp != null) != (esp != null)) {
      throw snapshot.wrong(
          esp == null
              ? "the interface had a security policy and has it no longer"
              : "the interface had no security policy and has one now");
    }
    if (esp != null) {
      context.output.transfer(snapshot);
    }
    snapshot.end();
  }

  private static <T> T required(Snapshot snapshot, T layer, String family) {
    if (layer == null) {
      throw snapshot.wrong("the interface had " + family + " and has it no longer");
    }
    return layer;
  }

  /** The path with a number that a snapshot names. */
  public Path path(Snapshot snapshot, int number) {
    boolean known = Path.isIpv6(number) ? ipv6 != null && ipv6.paths().has(number) : ipv4 != null;
    if (!known) {
      throw snapshot.wrong("there is no path " + number);
    }
    return path(number);
  }

  /**
   * Packets that wait, which a snapshot does not have: for a MAC address, for other fragments, in
   * the queue of the device, to be received from ourselves, or to be taken from another stack.
   */
  public int packetsWaiting() {
    return (ipv4 == null ? 0 : ipv4.pending())
        + (ipv6 == null ? 0 : ipv6.pending())
        + context.reassembly.incomplete()
        + link.unsentFrames()
        + loop.size()
        + member.waiting();
  }
}
