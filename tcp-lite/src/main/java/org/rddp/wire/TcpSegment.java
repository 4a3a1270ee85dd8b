package org.rddp.wire;

/** One received segment, taken apart. The stack uses a single one again and again. */
public final class TcpSegment {
  public final TcpOptions options = new TcpOptions();
  public int remoteAddress;
  public long remoteMac;
  public int remotePort;
  public int localPort;
  public int sequence;
  public int acknowledgment;
  public int flags;
  public int window;

  /** The ECN codepoint of the IP packet. */
  public int ecn;

  /** Address of the payload. */
  public long payload;

  /** Octets of the payload. */
  public int length;

  /** The packet that it lies in. */
  public long packet;

  /**
   * Takes apart a segment.
   *
   * @param segmentLength octets of header and payload
   * @return false when header or options have impossible lengths
   */
  public boolean parse(
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

  public boolean has(int flag) {
    return (flags & flag) != 0;
  }

  /** SEG.LEN of RFC 9293: the payload, and one each for SYN and FIN. */
  public int sequenceLength() {
    return length + (flags & Tcp.FIN) + ((flags & Tcp.SYN) >>> 1);
  }
}
