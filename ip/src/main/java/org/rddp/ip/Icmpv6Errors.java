package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ipv6Extensions;
import org.rddp.wire.Memory;

/**
 * Sends ICMPv6 errors about packets that we cannot process (RFC 4443 section 2.4): not about ICMPv6
 * errors and redirects, nor about packets whose source is not a single host.
 */
final class Icmpv6Errors implements FragmentErrors {
  /** An error is no longer than the least MTU and quotes as much as fits (section 2.4 (c)). */
  private static final int QUOTED = Ipv6.LEAST_MTU - Ipv6.HEADER - Icmpv6.HEADER;

  private final Ipv6Output output;
  private final PacketPool pool;
  private final LocalAddresses addresses;
  private final IpCounters counters;
  private final ErrorLimit limit;

  /** Null if there is no security policy. */
  private final EspOutput esp;

  private final Ipv6Extensions headers = new Ipv6Extensions();

  Icmpv6Errors(IpContext context, Ipv6Layer layer) {
    output = layer.output();
    addresses = layer.addresses();
    pool = context.pool;
    counters = context.counters;
    limit = context.errorLimit;
    esp = context.output;
  }

  /** Sends nothing: ICMPv6 has no such error, and RFC 8200 requires only 1500 octets. */
  @Override
  public void tooLarge(long first, long senderMac, long now) {}

  /** RFC 8200 section 4.5. */
  @Override
  public void timeExceeded(long first, long senderMac, long now) {
    send(Icmpv6.TIME_EXCEEDED, Icmpv6.REASSEMBLY_TIME, 0, first, senderMac, now);
  }

  /**
   * Sends an error, unless the limit is reached or the security policy does not let it out in
   * clear.
   *
   * @param parameter pointer or MTU; else 0
   * @param quoted IPv6 header of the packet that the error is about
   * @param macAddress source of that packet
   */
  void send(int type, int code, int parameter, long quoted, long macAddress, long now) {
    long high = Ipv6.sourceHigh(quoted);
    long low = Ipv6.sourceLow(quoted);
    int found = addresses.find(Ipv6.destinationHigh(quoted), Ipv6.destinationLow(quoted));
    int local = found >= 0 ? found : LocalAddresses.sourceFor(high);
    boolean secured = esp != null && !esp.mayBeClear(high, low);
    if (secured
        || !Ipv6Address.unicast(high, low)
        || aboutError(quoted)
        || !addresses.usable(local)) {
      return;
    }
    if (limit.reached(now)) {
      counters.icmpErrorsLimited++;
      return;
    }
    long packet = output.allocate();
    if (packet == 0) {
      return;
    }
    limit.sent();
    long message = pool.address(packet);
    int octets = Math.min(Ipv6.HEADER + Ipv6.payloadLength(quoted), QUOTED);
    Memory.copy(quoted, message + Icmpv6.HEADER, octets);
    Icmpv6.write(message, type, code, parameter);
    Ipv6Address source = addresses.get(local);
    Ipv6Address destination = new Ipv6Address(high, low);
    int length = Icmpv6.HEADER + octets;
    output.send(packet, message, length, 0, Ipv6.HOPS, source, destination, macAddress);
    counters.icmpErrorsOut++;
  }

  private boolean aboutError(long quoted) {
    headers.walkBeyondProblems(quoted);
    if (headers.protocol != Ipv6.ICMPV6) {
      return false;
    }
    return headers.length == 0
        || Icmpv6.error(headers.payload)
        || Icmpv6.type(headers.payload) == Icmpv6.REDIRECT;
  }
}
