package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/**
 * Sends ICMP errors about packets that we cannot take (RFC 1122 section 3.2.2).
 *
 * <p>Only about what one host sent to us alone: callers have seen to that before they look at what
 * a packet holds. Never about an ICMP error, nor about a fragment but the first. A hundred leave in
 * a second, fifty at once.
 */
final class IcmpErrors {
  /** An error is no longer than 576 octets, and quotes as much as fits (RFC 1812 4.3.2.3). */
  private static final int QUOTED = 576 - Ipv4.HEADER - Icmpv4.HEADER;

  private static final long INTERVAL = 10_000_000L;
  private static final int BURST = 50;

  private final IpOutput output;
  private final PacketPool pool;
  private final IpCounters counters;

  /** The time for which the next error is paid; it never lies more than a burst back. */
  private long paidUntil = Long.MIN_VALUE / 2;

  IcmpErrors(IpOutput output, PacketPool pool, IpCounters counters) {
    this.output = output;
    this.pool = pool;
    this.counters = counters;
  }

  /**
   * Sends an error, unless there have been too many.
   *
   * @param mtu what may be sent instead, for {@link Icmpv4#FRAGMENTATION_NEEDED}; else 0
   * @param quoted the IP header of the packet that it is about
   * @param macAddress where that came from
   */
  void send(int type, int code, int mtu, long quoted, long macAddress, long now) {
    if (aboutError(quoted)) {
      return;
    }
    paidUntil = Math.max(paidUntil, now - BURST * INTERVAL);
    if (paidUntil + INTERVAL > now) {
      counters.icmpErrorsLimited++;
      return;
    }
    long packet = output.room() ? pool.allocate() : 0;
    if (packet == 0) {
      counters.exhausted++;
      return;
    }
    paidUntil += INTERVAL;
    long message = pool.address(packet);
    int octets = Math.min(Ipv4.totalLength(quoted), QUOTED);
    Memory.copy(quoted, message + Icmpv4.HEADER, octets);
    int length = Icmpv4.HEADER + octets;
    Icmpv4.write(message, type, code, mtu, length);
    output.reply(packet, message, length, Ipv4.PROTOCOL_ICMP, Ipv4.source(quoted), macAddress);
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
