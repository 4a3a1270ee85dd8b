package org.rddp.wire;

/** The fields of one received segment. A stack reuses a single instance. */
public final class TcpSegment {
  /** Its options. */
  public final TcpOptions options = new TcpOptions();

  /** The number of the sender's path. */
  public int path;

  /** The source MAC address of its frame. */
  public long remoteMac;

  /** The source port. */
  public int remotePort;

  /** The destination port. */
  public int localPort;

  /** SEG.SEQ. */
  public int sequence;

  /** SEG.ACK. */
  public int acknowledgment;

  /** The eight control bits, and {@link Tcp#AE}. */
  public int flags;

  /** The window field, not scaled. */
  public int window;

  /** The ECN codepoint of the IP packet. */
  public int ecn;

  /** Address of the header. */
  public long header;

  /** Address of the payload. */
  public long payload;

  /** Octets of the payload. */
  public int length;

  /** The packet that holds the segment. */
  public long packet;

  /** Creates an instance without values; {@link #parse} sets them. */
  public TcpSegment() {}

  /**
   * Parses a segment.
   *
   * @param segmentLength octets of header and payload
   * @return false if header or options have invalid lengths
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
    path = source;
    remoteMac = sourceMac;
    ecn = codepoint;
    remotePort = Tcp.sourcePort(address);
    localPort = Tcp.destinationPort(address);
    sequence = Tcp.sequence(address);
    acknowledgment = Tcp.acknowledgment(address);
    flags = Tcp.flags(address);
    window = Tcp.window(address);
    header = address;
    payload = address + headerLength;
    length = segmentLength - headerLength;
    packet = inPacket;
    return true;
  }

  /** Whether a flag is set. */
  public boolean has(int flag) {
    return (flags & flag) != 0;
  }

  /** SEG.LEN of RFC 9293: the payload, and one each for SYN and FIN. */
  public int sequenceLength() {
    return length + (flags & Tcp.FIN) + ((flags & Tcp.SYN) >>> 1);
  }
}
