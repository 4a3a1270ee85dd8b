package org.rddp.tcp;

import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/** One received segment, taken apart. The stack uses a single one again and again. */
final class Segment {
  final TcpOptions options = new TcpOptions();
  int remoteAddress;
  long remoteMac;
  int remotePort;
  int localPort;
  int sequence;
  int acknowledgment;
  int flags;
  int window;

  /** The ECN codepoint of the IP packet. */
  int ecn;

  /** Address of the payload. */
  long payload;

  /** Octets of the payload. */
  int length;

  /** The packet that it lies in. */
  long packet;

  /**
   * Takes apart a segment.
   *
   * @param segmentLength octets of header and payload
   * @return false when header or options have impossible lengths
   */
  boolean parse(
      int source, long sourceMac, int codepoint, long address, int segmentLength, long inPacket) {
    if (!Tcp.wellFormed(address, segmentLength)) {
      return false;
    }
    int headerLength = Tcp.headerLength(address);
    if (!options.parse(address, headerLength)) {
      return false;
    }
    remoteAddress = source;
    remoteMac = sourceMac;
    ecn = codepoint;
    remotePort = Tcp.sourcePort(address);
    localPort = Tcp.destinationPort(address);
    sequence = Tcp.sequence(address);
    acknowledgment = Tcp.acknowledgment(address);
    flags = Tcp.flags(address);
    window = Tcp.window(address);
    payload = address + headerLength;
    length = segmentLength - headerLength;
    packet = inPacket;
    return true;
  }

  boolean has(int flag) {
    return (flags & flag) != 0;
  }

  /** SEG.LEN of RFC 9293: the payload, and one each for SYN and FIN. */
  int sequenceLength() {
    return length + (flags & Tcp.FIN) + ((flags & Tcp.SYN) >>> 1);
  }
}
