package org.rddp.mirror;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * An IP packet that holds a datagram of UDP.
 *
 * @param source address of the sender
 * @param destination address of the receiver
 * @param datagram from the UDP header on
 */
@SuppressWarnings("ArrayRecordComponent") // Packets are never compared.
record IkePacket(InetAddress source, InetAddress destination, byte[] datagram) {
  private static final int IPV4_HEADER = 20;
  private static final int IPV4_CHECKSUM = 10;
  private static final int IPV4_SOURCE = 12;
  private static final int IPV6_HEADER = 40;
  private static final int IPV6_SOURCE = 8;
  private static final int IPV6_ADDRESS = 16;
  private static final int UDP = 17;
  private static final int HOPS = 64;
  private static final int DO_NOT_FRAGMENT = 0x4000;

  /** More fragments, or an offset. */
  private static final int FRAGMENT = 0x3fff;

  /** The packet's octets. */
  byte[] write() {
    return source instanceof Inet4Address ? writeIpv4() : writeIpv6();
  }

  private byte[] writeIpv4() {
    ByteBuffer packet = ByteBuffer.allocate(IPV4_HEADER + datagram.length);
    packet
        .putShort((short) 0x4500)
        .putShort((short) packet.limit())
        .putShort((short) 0)
        .putShort((short) DO_NOT_FRAGMENT)
        .put((byte) HOPS)
        .put((byte) UDP)
        .putShort((short) 0)
        .put(source.getAddress())
        .put(destination.getAddress());
    int sum = 0;
    for (int i = 0; i < IPV4_HEADER; i += Short.BYTES) {
      sum += packet.getShort(i) & 0xffff;
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    sum = (sum & 0xffff) + (sum >>> 16);
    packet.putShort(IPV4_CHECKSUM, (short) ~sum);
    return packet.put(datagram).array();
  }

  private byte[] writeIpv6() {
    return ByteBuffer.allocate(IPV6_HEADER + datagram.length)
        .putInt(0x60000000)
        .putShort((short) datagram.length)
        .put((byte) UDP)
        .put((byte) HOPS)
        .put(source.getAddress())
        .put(destination.getAddress())
        .put(datagram)
        .array();
  }

  /** Reads a packet of the kernel's; null if it holds anything but a whole datagram of UDP. */
  static IkePacket read(byte[] octets) {
    ByteBuffer packet = ByteBuffer.wrap(octets);
    try {
      return switch (octets.length == 0 ? 0 : octets[0] >> 4) {
        case 4 -> readIpv4(packet);
        case 6 -> readIpv6(packet);
        default -> null;
      };
    } catch (UnknownHostException e) {
      throw new AssertionError("4 or 16 octets are an address", e);
    }
  }

  private static IkePacket readIpv4(ByteBuffer packet) throws UnknownHostException {
    if (packet.limit() < IPV4_HEADER) {
      return null;
    }
    int header = (packet.get(0) & 0xf) * Integer.BYTES;
    int length = packet.getShort(2) & 0xffff;
    if (header < IPV4_HEADER
        || length < header
        || length > packet.limit()
        || packet.get(9) != UDP
        || (packet.getShort(6) & FRAGMENT) != 0) {
      return null;
    }
    return new IkePacket(
        address(packet, IPV4_SOURCE, Integer.BYTES),
        address(packet, IPV4_SOURCE + Integer.BYTES, Integer.BYTES),
        octets(packet, header, length - header));
  }

  private static IkePacket readIpv6(ByteBuffer packet) throws UnknownHostException {
    if (packet.limit() < IPV6_HEADER || packet.get(6) != UDP) {
      return null;
    }
    int length = packet.getShort(4) & 0xffff;
    if (length > packet.limit() - IPV6_HEADER) {
      return null;
    }
    return new IkePacket(
        address(packet, IPV6_SOURCE, IPV6_ADDRESS),
        address(packet, IPV6_SOURCE + IPV6_ADDRESS, IPV6_ADDRESS),
        octets(packet, IPV6_HEADER, length));
  }

  private static InetAddress address(ByteBuffer packet, int at, int octets)
      throws UnknownHostException {
    return InetAddress.getByAddress(octets(packet, at, octets));
  }

  private static byte[] octets(ByteBuffer packet, int at, int count) {
    byte[] octets = new byte[count];
    packet.get(at, octets);
    return octets;
  }
}
