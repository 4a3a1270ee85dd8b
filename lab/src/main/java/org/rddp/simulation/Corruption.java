package org.rddp.simulation;

import java.util.SplittableRandom;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Ipv6Fragment;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/** Flips single bits of packets, as faulty memory in a switch does. */
final class Corruption {
  private static final int TCP_CHECKSUM = 16;

  private final SplittableRandom random;
  private int turned;

  Corruption(SplittableRandom random) {
    this.random = random;
  }

  /**
   * Flips any one bit of an IP packet. Ethernet's own header and ARP are left alone: they have no
   * checksum but the frame's, which a card checks by itself. So are all fragments but the first:
   * bits flipped in two of them might cancel each other in TCP's checksum.
   *
   * @return false if the frame is not such a packet
   */
  boolean flipBit(long frame) {
    long packet = frame + Ethernet.HEADER;
    boolean mayChange =
        switch (Ethernet.type(frame)) {
          case Ethernet.TYPE_IPV4 -> Ipv4.fragmentOffset(packet) == 0;
          case Ethernet.TYPE_IPV6 ->
              Ipv6.nextHeader(packet) != Ipv6.FRAGMENT
                  || Ipv6Fragment.offset(packet + Ipv6.HEADER) == 0;
          default -> false;
        };
    if (mayChange) {
      flipBit(packet, SegmentView.total(packet));
    }
    return mayChange;
  }

  /**
   * Flips one bit of a TCP segment's payload and corrects TCP's checksum.
   *
   * @param octets of the frame
   * @return the octet's index in the frame, or -1 if the frame has no such payload
   */
  int flipBitUndetected(long frame, int octets) {
    if (!SegmentView.isSegment(frame, octets) || !SegmentView.intact(frame)) {
      return -1;
    }
    int length = SegmentView.payloadLength(frame);
    if (length == 0) {
      return -1;
    }
    long segment = SegmentView.segment(frame);
    long payload = SegmentView.payload(frame);
    long octet = flipBit(payload, length);
    // The word under the checksum that the octet is in: words count from the segment's start.
    boolean high = ((octet - segment) & 1) == 0;
    int after = Memory.getByte(octet);
    int before = after ^ turned;
    int shift = high ? 8 : 0;
    int field = Checksum.replace(Tcp.checksum(segment), before << shift, after << shift);
    Memory.putShort(segment + TCP_CHECKSUM, field);
    return (int) (octet - frame);
  }

  private long flipBit(long address, int length) {
    long octet = address + random.nextInt(length);
    turned = 1 << random.nextInt(8);
    Memory.putByte(octet, Memory.getByte(octet) ^ turned);
    return octet;
  }
}
