package org.rddp.simulation;

import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ipv6Fragment;
import org.rddp.wire.Memory;

/**
 * A middlebox that sends packets larger than the next link in fragments (RFC 791 section 3.2)
 * although they must not be fragmented: it clears DF, or adds a fragment header of IPv6, and
 * assigns the identification itself, as some tunnels do.
 */
public final class Fragmenter implements Hop {
  private static final int UNIT = 8;

  private final Network network;
  private final Hop next;
  private int octets = Integer.MAX_VALUE;
  private int identification;

  /** A middlebox that does not fragment yet. */
  public Fragmenter(Network network, Hop next) {
    this.network = network;
    this.next = next;
  }

  /**
   * Starts to fragment.
   *
   * @param largest octets of the largest IP packet that is not fragmented, at least 68
   */
  public void fragment(int largest) {
    octets = largest;
  }

  @Override
  public void take(long frame) {
    FrameStore frames = network.frames();
    long address = frames.address(frame);
    int length = frames.length(frame);
    if (length - Ethernet.HEADER <= octets || !datagram(address, length)) {
      next.take(frame);
      return;
    }
    network.report(NetworkEvent.FRAGMENTED, frame);
    long packet = SegmentView.packet(address);
    int header = SegmentView.header(packet);
    int payload = SegmentView.total(packet) - header;
    int most = (octets - header - added(packet)) / UNIT * UNIT;
    identification++;
    for (int from = 0; from < payload; from += most) {
      next.take(piece(packet, header, from, Math.min(most, payload - from), payload));
    }
    frames.release(frame);
  }

  private static boolean datagram(long frame, int length) {
    long packet = SegmentView.packet(frame);
    if (Ethernet.type(frame) == Ethernet.TYPE_IPV6) {
      return Ipv6.wellFormed(packet, length - Ethernet.HEADER)
          && Ipv6.nextHeader(packet) == Ipv4.PROTOCOL_TCP;
    }
    return Ethernet.type(frame) == Ethernet.TYPE_IPV4
        && Ipv4.wellFormed(packet, length - Ethernet.HEADER)
        && !Ipv4.fragment(packet);
  }

  /** Octets of the header that IPv6 adds to a fragment. */
  private static int added(long packet) {
    return SegmentView.isIpv6(packet) ? Ipv6Fragment.HEADER : 0;
  }

  private long piece(long packet, int header, int from, int count, int payload) {
    FrameStore frames = network.frames();
    int headers = Ethernet.HEADER + header;
    int added = added(packet);
    long copy = frames.allocate(headers + added + count);
    long address = frames.address(copy);
    Memory.copy(packet - Ethernet.HEADER, address, headers);
    Memory.copy(packet + header + from, address + headers + added, count);
    boolean last = from + count == payload;
    SegmentView.fragment(
        SegmentView.packet(address), header + added + count, identification, from / UNIT, last);
    return copy;
  }
}
