package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/**
 * Sends ICMP errors about packets that we cannot process (RFC 1122 section 3.2.2).
 *
 * <p>The callers have checked that the packet came from one host and was sent to us alone. There
 * are no errors about ICMP errors and about fragments other than the first.
 */
final class Icmpv4Errors implements FragmentErrors {
  /** An error has at most 576 octets and quotes as much as fits (RFC 1812 4.3.2.3). */
  private static final int QUOTED = 576 - Ipv4.HEADER - Icmpv4.HEADER;

  private final Ipv4Output output;
  private final PacketPool pool;
  private final IpCounters counters;
  private final ErrorLimit limit;

  /** Null if there is no security policy. */
  private final EspOutput esp;

  /** The MTU reported to senders of datagrams that are too large to reassemble. */
  private final int mtu;

  Icmpv4Errors(IpContext context, Ipv4Output output) {
    this.output = output;
    pool = context.pool;
    counters = context.counters;
    limit = context.errorLimit;
    esp = context.output;
    mtu = context.mtu;
  }

  @Override
  public void tooLarge(long first, long senderMac, long now) {
    send(Icmpv4.UNREACHABLE, Icmpv4.FRAGMENTATION_NEEDED, mtu, first, senderMac, now);
  }

  /** RFC 1122 section 3.3.2. */
  @Override
  public void timeExceeded(long first, long senderMac, long now) {
    send(Icmpv4.TIME_EXCEEDED, Icmpv4.REASSEMBLY_TIME, 0, first, senderMac, now);
  }

  /**
   * Sends an error, unless the limit is reached or the security policy does not let it out in
   * clear.
   *
   * @param nextMtu in octets for {@link Icmpv4#FRAGMENTATION_NEEDED}; else 0
   * @param quoted IP header of the packet that the error is about
   * @param macAddress source of that packet
   */
  void send(int type, int code, int nextMtu, long quoted, long macAddress, long now) {
    boolean secured = esp != null && !esp.mayBeClear(0, AddressPrefix.mapped(Ipv4.source(quoted)));
    if (secured || aboutError(quoted)) {
      return;
    }
    if (limit.reached(now)) {
      counters.icmpErrorsLimited++;
      return;
    }
    long packet = output.room() ? pool.allocate() : 0;
    if (packet == 0) {
      counters.exhausted++;
      return;
    }
    limit.sent();
    long message = pool.address(packet);
    int octets = Math.min(Ipv4.totalLength(quoted), QUOTED);
    Memory.copy(quoted, message + Icmpv4.HEADER, octets);
    int length = Icmpv4.HEADER + octets;
    Icmpv4.write(message, type, code, nextMtu, length);
    output.reply(
        packet, message, length, Ipv4.PROTOCOL_ICMP, Ipv4.source(quoted), Ipv4.NOT_ECT, macAddress);
    pool.release(packet);
    counters.icmpErrorsOut++;
  }

  private static boolean aboutError(long quoted) {
    if (Ipv4.protocol(quoted) != Ipv4.PROTOCOL_ICMP) {
      return false;
    }
    int length = Ipv4.totalLength(quoted) - Ipv4.headerLength(quoted);
    return length == 0 || Icmpv4.error(quoted + Ipv4.headerLength(quoted));
  }
}
