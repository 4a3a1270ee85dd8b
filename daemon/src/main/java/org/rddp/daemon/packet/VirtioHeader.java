package org.rddp.daemon.packet;

import org.rddp.wire.Memory;

/**
 * The header that precedes each frame on a packet socket: {@code struct virtio_net_hdr} of Virtio
 * 1.2 section 5.1.6, without the number of buffers, in the machine's byte order.
 */
final class VirtioHeader {
  /** Octets of a header. */
  static final int OCTETS = 10;

  private static final int FLAGS = 0;
  private static final int GSO_TYPE = 1;
  private static final int HEADERS = 2;
  private static final int SEGMENT = 4;
  private static final int SUM_START = 6;
  private static final int SUM_OFFSET = 8;

  /** The checksum is to be completed; if received, the frame has not left memory since. */
  private static final int NEEDS_CHECKSUM = 1;

  /** The checksum has been found right. */
  private static final int DATA_VALID = 2;

  private static final int TCP_IPV4 = 1;
  private static final int TCP_IPV6 = 4;

  /** Octets before the checksum in a TCP header. */
  private static final int TCP_CHECKSUM = 16;

  private VirtioHeader() {}

  /** Writes the header of a frame to be sent as it is. */
  static void clear(long address) {
    Memory.putLongNative(address, 0);
    Memory.putShortNative(address + SUM_OFFSET, 0);
  }

  /**
   * Writes the header of a frame whose TCP checksum is to be completed.
   *
   * @param beforeTcp octets of the frame before its TCP header
   * @param tcp octets of the TCP header
   */
  static void requestChecksum(long address, int beforeTcp, int tcp) {
    clear(address);
    Memory.putByte(address + FLAGS, NEEDS_CHECKSUM);
    Memory.putShortNative(address + HEADERS, beforeTcp + tcp);
    Memory.putShortNative(address + SUM_START, beforeTcp);
    Memory.putShortNative(address + SUM_OFFSET, TCP_CHECKSUM);
  }

  /**
   * Adds, after {@link #requestChecksum}, that the frame is to be cut.
   *
   * @param segment octets of payload in each segment
   */
  static void requestSegments(long address, boolean ipv6, int segment) {
    Memory.putByte(address + GSO_TYPE, ipv6 ? TCP_IPV6 : TCP_IPV4);
    Memory.putShortNative(address + SEGMENT, segment);
  }

  /**
   * Asks, last, for a frame in one piece of the kernel's memory: what it takes for the length of
   * the headers says how much of a frame is in its first piece.
   *
   * @param octets of the frame, at most 65,535
   */
  static void requestOnePiece(long address, int octets) {
    Memory.putShortNative(address + HEADERS, octets);
  }

  /** Whether the TCP checksum of a received frame need not be checked. */
  static boolean intact(long address) {
    return (Memory.getByte(address + FLAGS) & (NEEDS_CHECKSUM | DATA_VALID)) != 0;
  }
}
