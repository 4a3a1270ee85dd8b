package org.rddp.simulation;

import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/**
 * A middlebox that sends packets larger than the next link in fragments (RFC 791 section 3.2)
 * although they must not be fragmented: it clears DF and assigns the identification itself, as some
 * tunnels do.
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
    int header = Ipv4.headerLength(packet);
    int payload = Ipv4.totalLength(packet) - header;
    int most = (octets - header) / UNIT * UNIT;
    identification++;
    for (int from = 0; from < payload; from += most) {
      next.take(piece(packet, header, from, Math.min(most, payload - from), payload));
    }
    frames.release(frame);
  }

  private static boolean datagram(long frame, int length) {
    long packet = SegmentView.packet(frame);
    return Ethernet.type(frame) == Ethernet.TYPE_IPV4
        && Ipv4.wellFormed(packet, length - Ethernet.HEADER)
        && !Ipv4.fragment(packet);
  }

  private long piece(long packet, int header, int from, int count, int payload) {
    FrameStore frames = network.frames();
    int headers = Ethernet.HEADER + header;
    long copy = frames.allocate(headers + count);
    long address = frames.address(copy);
    Memory.copy(packet - Ethernet.HEADER, address, headers);
    Memory.copy(packet + header + from, address + headers, count);
    boolean last = from + count == payload;
    SegmentView.fragment(
        SegmentView.packet(address), header + count, identification, from / UNIT, last);
    return copy;
  }
}
