package org.rddp.simulation;

import java.util.Locale;
import java.util.function.Consumer;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.simulation.SequenceSpaces.Direction;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/**
 * Prints a line for each {@link NetworkEvent}: the time since the beginning in seconds, source and
 * destination, the event, and the segment. Sequence numbers are relative to the SYN of each end.
 */
public final class Trace implements NetworkListener {
  private static final String FLAGS = "FSRP.UEC";

  private final Network network;
  private final Consumer<String> lines;
  private final SequenceSpaces spaces = new SequenceSpaces();
  private final TcpOptions options = new TcpOptions();
  private final long began;

  /** Traces a network from now on. */
  public Trace(Network network, Consumer<String> lines) {
    this.network = network;
    this.lines = lines;
    began = network.now();
  }

  /** Prints a line that is not about a frame. */
  public void line(String what) {
    lines.accept(time() + "  " + what);
  }

  @Override
  public void onEvent(NetworkEvent event, long frame, int length, int detail) {
    if (SegmentView.isSegment(frame, length)) {
      if (event == NetworkEvent.SENT) {
        spaces.learn(frame);
      }
      lines.accept(time() + "  " + ends(frame) + what(event) + segment(frame));
    } else {
      lines.accept(time() + "  " + what(event) + other(frame, length));
    }
  }

  private String time() {
    return String.format(Locale.ROOT, "%14.9f", (network.now() - began) / 1e9);
  }

  private static String what(NetworkEvent event) {
    return String.format("%-10s  ", event.words());
  }

  private static String ends(long frame) {
    Direction direction = Direction.of(frame);
    return String.format(
        "%s:%-5d > %s:%-5d  ",
        address(frame, direction.source()),
        direction.ports() >>> 16,
        address(frame, direction.destination()),
        direction.ports() & 0xffff);
  }

  /** An address of IPv6 without its prefix, in brackets. */
  private static String address(long frame, int bits) {
    return SegmentView.isIpv6(SegmentView.packet(frame))
        ? "[" + new Ipv6Address(0, Integer.toUnsignedLong(bits)) + "]"
        : new Ipv4Address(bits).toString();
  }

  private String segment(long frame) {
    Direction direction = Direction.of(frame);
    long segment = SegmentView.segment(frame);
    int flags = Tcp.flags(segment);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < FLAGS.length(); i++) {
      if ((flags & (1 << i)) != 0) {
        text.append(FLAGS.charAt(i));
      }
    }
    text.append(" seq ").append(unsigned(Tcp.sequence(segment) - spaces.initial(direction)));
    text.append('+').append(SegmentView.payloadLength(frame));
    if ((flags & Tcp.ACK) != 0) {
      int first = spaces.initial(direction.reverse());
      text.append(" ack ").append(unsigned(Tcp.acknowledgment(segment) - first));
    }
    text.append(" win ").append(Tcp.window(segment));
    options(segment, spaces.initial(direction.reverse()), text);
    codepoint(frame, text);
    if (!SegmentView.intact(frame)) {
      text.append(" WRONG CHECKSUM");
    }
    return text.toString();
  }

  private void options(long segment, int first, StringBuilder text) {
    if (!options.parse(segment, Tcp.headerLength(segment))) {
      text.append(" malformed options");
      return;
    }
    if (options.mss() > 0) {
      text.append(" mss ").append(options.mss());
    }
    if (options.windowScale() >= 0) {
      text.append(" ws ").append(options.windowScale());
    }
    if (options.timestamps()) {
      text.append(" ts ").append(unsigned(options.timestampValue()));
      text.append(" ecr ").append(unsigned(options.timestampEcho()));
    }
    if (options.sackPermitted()) {
      text.append(" sack-permitted");
    }
    for (int i = 0; i < options.sackBlocks(); i++) {
      text.append(" sack ").append(unsigned(options.sackLeft(i) - first));
      text.append('-').append(unsigned(options.sackRight(i) - first));
    }
  }

  private static void codepoint(long frame, StringBuilder text) {
    int ecn = SegmentView.ecn(SegmentView.packet(frame));
    if (ecn != Ipv4.NOT_ECT) {
      text.append(ecn == Ipv4.CE ? " CE" : " ECT");
    }
  }

  private static String unsigned(int number) {
    return Integer.toUnsignedString(number);
  }

  /** A frame that is not a TCP segment: ARP, ICMP, or a corrupted one. */
  private static String other(long frame, int length) {
    int type = Ethernet.type(frame);
    if (type == Ethernet.TYPE_ARP) {
      return "ARP";
    }
    long packet = SegmentView.packet(frame);
    if (type == Ethernet.TYPE_IPV6 && Ipv6.nextHeader(packet) == Ipv6.ICMPV6) {
      long message = packet + Ipv6.HEADER;
      return "ICMPv6 type %d code %d parameter %d"
          .formatted(Icmpv6.type(message), Icmpv6.code(message), Icmpv6.parameter(message));
    }
    boolean icmp =
        type == Ethernet.TYPE_IPV4
            && Ipv4.wellFormed(packet, length - Ethernet.HEADER)
            && Ipv4.protocol(packet) == Ipv4.PROTOCOL_ICMP;
    if (!icmp) {
      return "a frame of " + length + " octets";
    }
    long message = packet + Ipv4.headerLength(packet);
    return String.format(
        "ICMP type %d code %d mtu %d to %s",
        Memory.getByte(message),
        Memory.getByte(message + 1),
        Memory.getShort(message + 6),
        new Ipv4Address(Ipv4.destination(packet)));
  }
}
