package org.rddp.ip;

import org.rddp.device.CaptureSink;
import org.rddp.wire.Esp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;
import org.rddp.wire.Vlan;

/**
 * Passes a copy of each packet that is sealed, or has been opened, to a capture in clear. The frame
 * around it is made for that: an Ethernet header with the interface's address and 0 for the other,
 * and in transport mode an IP header of the association's addresses.
 */
public final class PlainCapture {
  private static final int LONGEST = 65535;
  private static final int HOPS = 64;

  private final long macAddress;

  /** Null while nothing is captured. */
  private CaptureSink sink;

  /** Memory for a frame; 0 before the first capture. */
  private long frame;

  PlainCapture(long macAddress) {
    this.macAddress = macAddress;
  }

  /** Starts to pass packets to a sink, with the time of the turn; null to stop. */
  void to(CaptureSink receiver) {
    sink = receiver;
    if (receiver != null && frame == 0) {
      frame = Memory.allocate(Ethernet.HEADER + Ipv6.HEADER + LONGEST);
    }
  }

  /**
   * Passes on what is in a packet of an association, if a capture runs.
   *
   * @param sent whether we send it
   * @param next its next header
   */
  void show(
      boolean sent, AssociationSettings settings, int next, long content, int length, long now) {
    if (sink == null) {
      return;
    }
    int header = settings.tunnel() ? 0 : settings.header();
    long packet = frame + Ethernet.HEADER;
    boolean ipv6 = settings.tunnel() ? next == Esp.NEXT_IPV6 : header == Ipv6.HEADER;
    Ethernet.write(
        frame,
        sent ? 0 : macAddress,
        sent ? macAddress : 0,
        ipv6 ? Ethernet.TYPE_IPV6 : Ethernet.TYPE_IPV4);
    if (header > 0) {
      writeHeader(packet, settings, next, length);
    }
    Memory.copy(content, packet + header, length);
    sink.offer(now, frame, Ethernet.HEADER + header + length);
  }

  private static void writeHeader(long packet, AssociationSettings settings, int next, int length) {
    if (settings.source() instanceof Ipv6Address from
        && settings.destination() instanceof Ipv6Address to) {
      Ipv6.write(packet, length, next, HOPS, 0, 0, from.high(), from.low(), to.high(), to.low());
    } else if (settings.source() instanceof Ipv4Address from
        && settings.destination() instanceof Ipv4Address to) {
      Ipv4.write(packet, Ipv4.HEADER + length, next, from.bits(), to.bits());
    }
  }

  /** A sink for a device's frames that passes all but those in ESP on. */
  public static CaptureSink withoutSealed(CaptureSink others) {
    return (time, address, length) -> {
      if (!isSealed(address, length)) {
        others.offer(time, address, length);
      }
    };
  }

  private static boolean isSealed(long frame, int length) {
    int link = Ethernet.HEADER;
    if (length < link) {
      return false;
    }
    int type = Ethernet.type(frame);
    if (type == Vlan.TYPE_TAGGED && Vlan.wellFormed(length)) {
      link = Vlan.HEADER;
      type = Vlan.type(frame);
    }
    long packet = frame + link;
    return (type == Ethernet.TYPE_IPV4
            && Ipv4.wellFormed(packet, length - link)
            && Ipv4.protocol(packet) == Esp.PROTOCOL)
        || (type == Ethernet.TYPE_IPV6
            && Ipv6.wellFormed(packet, length - link)
            && Ipv6.nextHeader(packet) == Esp.PROTOCOL);
  }
}
