package org.rddp.ip;

import static org.rddp.ip.TrafficSelector.NO_PORT;

import org.rddp.device.PacketPool;
import org.rddp.wire.Esp;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.Udp;

/**
 * Checks packets that come to an interface with a security policy: opens those in ESP (RFC 4303
 * section 3.4), and drops what comes in clear or in an association that is not for it (RFC 4301
 * section 5.2). What is dropped is counted, and never answered.
 */
final class EspInput {
  private static final int PORTS = 4;

  private final IpSecurity security;
  private final SecurityPolicy policy;
  private final EspCounters counters;
  private final PacketPool pool;
  private final HandOver handOver;
  private final TransportHandler transport;
  private final PlainCapture plain;

  /** The stack that opens the packet that is being processed. */
  private int owner;

  /** The association of the packet that is being processed; null if it came in clear. */
  private InboundAssociation association;

  /** The packet with the opened payload: the one received, or a copy. */
  long packet;

  /** The opened payload. */
  long payload;

  /** Its octets. */
  int length;

  /** Its protocol. */
  int next;

  EspInput(IpSecurity security, IpContext context) {
    this.security = security;
    pool = context.pool;
    handOver = context.handOver;
    transport = context.transport;
    plain = context.plain;
    policy = security.policy();
    counters = security.counters();
  }

  /** Whether the packet that is being processed has come in ESP. */
  boolean isOpen() {
    return association != null;
  }

  /**
   * Whether a whole packet from an address may be passed on: what came in clear if the policy says
   * so, what came in ESP if its association is for it. Counts it if not.
   */
  boolean admits(long high, long low, int protocol, long address, int octets) {
    int local = NO_PORT;
    int remote = NO_PORT;
    if (protocol == Ipv4.PROTOCOL_TCP && octets >= PORTS) {
      local = Tcp.destinationPort(address);
      remote = Tcp.sourcePort(address);
    }
    PolicyAction action = policy.action(high, low, protocol, local, remote);
    if (action == PolicyAction.DISCARD) {
      counters.discarded++;
      return false;
    }
    if (association == null) {
      // MPA-9.2-01, DDP-8.4-01
      counters.clear += action == PolicyAction.REQUIRE ? 1 : 0;
      return action == PolicyAction.BYPASS;
    }
    if (!association.settings().selector().covers(high, low, protocol, local, remote)) {
      counters.mismatched++;
      return false;
    }
    counters.opened++;
    return true;
  }

  /**
   * Whether an ICMP error may be about a TCP packet of ours: one that came in clear if such packets
   * leave in clear, one that came in ESP if its association is for their answers (RFC 4301 section
   * 6.2). Counts it if not.
   *
   * @param high upper half of the address that the packet went to
   * @param low its lower half
   */
  boolean admitsError(long high, long low, int localPort, int remotePort) {
    if (association == null) {
      boolean clear =
          policy.action(high, low, Ipv4.PROTOCOL_TCP, localPort, remotePort) == PolicyAction.BYPASS;
      counters.clear += clear ? 0 : 1;
      return clear;
    }
    TrafficSelector selector = association.settings().selector();
    boolean ours = selector.covers(high, low, Ipv4.PROTOCOL_TCP, localPort, remotePort);
    counters.mismatched += ours ? 0 : 1;
    return ours;
  }

  /**
   * The ECN codepoint of a packet that has come in a tunnel (RFC 6040 section 4.2).
   *
   * @return -1 if it is to be dropped: congestion was marked, and its transport cannot be told
   */
  static int ecn(int inner, int outer) {
    if (outer != Ipv4.CE) {
      return inner == Ipv4.ECT_0 && outer == Ipv4.ECT_1 ? Ipv4.ECT_1 : inner;
    }
    return inner == Ipv4.NOT_ECT ? -1 : Ipv4.CE;
  }

  /**
   * Passes a datagram of UDP to the key exchange if it may be IKE's, which is always in clear (RFC
   * 4301 section 4.4.1), and drops it otherwise.
   *
   * @param octets of header and payload
   */
  void exchange(HostAddress local, HostAddress remote, long datagram, int octets) {
    KeyExchange exchange = security.exchange();
    if (exchange == null
        || octets < Udp.HEADER
        || !Udp.isIke(datagram, octets, Udp.destinationPort(datagram))) {
      counters.clear++;
      return;
    }
    exchange.onDatagram(local, remote, Memory.bytes(datagram, octets));
  }

  /** Counts a packet in ESP whose payload is not valid. */
  void malformed() {
    counters.malformed++;
  }

  /**
   * Whether another stack opens the packets of a sealed packet's association, and so has to get it:
   * {@link #handOver}.
   *
   * @param octets from the ESP header to the packet's end
   */
  boolean isForAnother(long sealed, int octets) {
    InboundAssociation found = octets < Esp.HEADER ? null : security.inbound(Esp.spi(sealed));
    owner = found == null ? InboundAssociation.NOBODY : found.owner();
    return owner != InboundAssociation.NOBODY && owner != security.stack();
  }

  /** Hands a sealed packet over to the stack that opens it. */
  void handOver(Path path, long senderMac, int ecn, long sealed, int octets, long received) {
    handOver.sealed(owner, path, senderMac, ecn, sealed, octets, received);
  }

  /**
   * Opens a packet; {@link #payload}, {@link #length}, {@link #next} and {@link #packet} then
   * describe what was in it. {@link #close} must follow.
   *
   * @param sealed address of the ESP header
   * @param octets from there to the packet's end
   * @param high upper half of the destination's address
   * @param low lower half of the destination's address
   * @param received the packet
   * @return false, and the reason is counted, if it is to be dropped; {@link #close} must not
   *     follow then
   */
  boolean open(long sealed, int octets, long high, long low, long received, long now) {
    if (octets < Esp.HEADER) {
      counters.malformed++;
      return false;
    }
    InboundAssociation found = security.inbound(Esp.spi(sealed));
    if (found == null || found.destinationHigh != high || found.destinationLow != low) {
      counters.unknownSpi++;
      return false;
    }
    if (found.isOver(now)) {
      counters.expired++;
      return false;
    }
    if (!found.own(security.stack())) {
      // Another stack opens the first packets at this moment.
      handOver.dropped();
      return false;
    }
    if (!open(found, sealed, octets, received, now)) {
      found.disown();
      return false;
    }
    return true;
  }

  private boolean open(InboundAssociation found, long sealed, int octets, long received, long now) {
    packet = received;
    long header = sealed;
    if (pool.shared(received)) {
      // Somebody else still reads it.
      packet = octets > pool.room() ? 0 : pool.allocate();
      if (packet == 0) {
        counters.exhausted++;
        return false;
      }
      header = pool.address(packet);
      Memory.copy(sealed, header, octets);
      pool.window(packet, header, octets);
    }
    if (decrypt(found, header, octets)) {
      plain.show(false, found.settings(), next, payload, length, now);
      association = found;
      return true;
    }
    if (packet != received) {
      pool.release(packet);
    }
    return false;
  }

  private boolean decrypt(InboundAssociation found, long header, int octets) {
    // DDP-8.4.2-02, RDMAP-8.2.2-02: "per-packet data origin authentication, integrity, and replay
    // protection MUST be used"
    int plain = found.open(header, octets);
    if (plain < 0) {
      counters.replayed += plain == InboundAssociation.REPLAYED ? 1 : 0;
      counters.forged += plain == InboundAssociation.FORGED ? 1 : 0;
      return false;
    }
    payload = header + found.settings().suite().header();
    length = Esp.payloadLength(payload, plain);
    if (length < 0) {
      counters.malformed++;
      return false;
    }
    next = Esp.next(payload, plain);
    boolean whole = next == Esp.NEXT_IPV4 || next == Esp.NEXT_IPV6;
    if (next == Esp.NEXT_NOTHING) {
      // A dummy packet (RFC 4303 section 2.6).
      return false;
    }
    if (whole != found.settings().tunnel()) {
      counters.mismatched++;
      return false;
    }
    return true;
  }

  /**
   * Ends the processing of an opened packet.
   *
   * @param received as in {@link #open}
   */
  void close(long received) {
    association = null;
    if (packet != received) {
      // The transport may have handed it over.
      handOver.done(packet);
    }
  }

  /**
   * Handles an ICMP error in clear that quotes a sealed packet of ours. That a packet was too large
   * for its path is believed if it was sent lately (RFC 4301 section 8.2.1): who has not seen it
   * can hardly know its SPI and number. Other errors are ignored.
   *
   * @param path of the quoted packet
   * @param claimed MTU of the path in octets
   * @param octets of the quoted packet
   */
  void tooBig(Path path, long esp, int claimed, int octets, long now) {
    OutboundAssociation quoted = security.outbound(Esp.spi(esp), path.remote());
    if (quoted != null
        && quoted.hasSentLately(Esp.sequence(esp))
        && claimed < octets
        && claimed < path.mtu()) {
      path.lowerMtu(claimed, now);
      transport.onPathMtu(path);
    }
  }
}
