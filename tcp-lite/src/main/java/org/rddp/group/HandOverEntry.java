package org.rddp.group;

/**
 * What one stack hands over to another: 64 octets, a cache line. Its kind says which values it has.
 * A stack reuses an instance for what it hands over, and another for what it takes.
 */
public final class HandOverEntry {
  /** What is handed over. */
  public enum Kind {
    /** A TCP segment. */
    SEGMENT,
    /** A TCP segment that is not to be answered by a reset. */
    QUIET_SEGMENT,
    /** An ICMP error: a packet was not delivered. */
    UNREACHABLE,
    /** An ICMP error: a packet was too large for its path. */
    TOO_BIG,
    /** For all: a message of ARP. */
    ARP,
    /** For all: the MTU of a path. */
    PATH_MTU,
    /** For all: a neighbour advertisement. */
    ADVERTISEMENT,
    /** For all: a router advertisement. */
    ROUTER,
    /** For all: a redirect. */
    REDIRECT,
    /** For the first stack: another host claims an address of ours. */
    CLAIM
  }

  static final int WORDS = 8;

  private static final Kind[] KINDS = Kind.values();
  private static final int FLAG = 0x80;
  private static final int OCTET = 0xff;

  /** The kind. */
  public Kind kind;

  /** The stack that has received it from the device. */
  public int origin;

  /** What is said as yes or no: solicited, a redirect to the destination itself, a probe. */
  public boolean flag;

  /** ECN codepoint, operation of ARP, lifetime of a router, or index of our address; 16 bits. */
  public int code;

  /** Octets of header and payload, an MTU, or the reason of an error. */
  public int length;

  /** An address of IPv4; for IPv6, which of our addresses the remote one is used with. */
  public int remote;

  /** Upper half of an address of IPv6. */
  public long high;

  /** Its lower half. */
  public long low;

  /** The sender's MAC address. */
  public long macAddress;

  /** The packet of a segment. */
  public long packet;

  /** The address of TCP's header in the packet. */
  public long header;

  /** Our port, of a packet of ours that an error is about. */
  public int localPort;

  /** Its remote port. */
  public int remotePort;

  /** Its sequence number. */
  public int sequence;

  /** Lower half of the address that a redirect names as the next hop, or the target of ARP. */
  public long target;

  /** Lower half of the address of a redirect's sender. */
  public long router;

  /** Without values. */
  public HandOverEntry() {}

  /** Whether it is a segment, which has a packet. */
  boolean isSegment() {
    return kind == Kind.SEGMENT || kind == Kind.QUIET_SEGMENT;
  }

  @SuppressWarnings("EnumOrdinal") // Writer and reader are of one process.
  void write(long[] words, int at) {
    words[at] =
        kind.ordinal()
            | (flag ? FLAG : 0)
            | (long) origin << 8
            | (code & 0xffffL) << 16
            | (long) length << 32;
    words[at + 1] = (long) remote << 32 | (sequence & 0xffff_ffffL);
    words[at + 2] = high;
    words[at + 3] = low;
    words[at + 4] = macAddress;
    words[at + 5] = isSegment() ? packet : target;
    words[at + 6] = isSegment() ? header : router;
    words[at + 7] = (long) localPort << 16 | remotePort;
  }

  void read(long[] words, int at) {
    int head = (int) words[at];
    kind = KINDS[head & FLAG - 1];
    flag = (head & FLAG) != 0;
    origin = head >>> 8 & OCTET;
    code = head >>> 16;
    length = (int) (words[at] >>> 32);
    remote = (int) (words[at + 1] >>> 32);
    sequence = (int) words[at + 1];
    high = words[at + 2];
    low = words[at + 3];
    macAddress = words[at + 4];
    packet = words[at + 5];
    header = words[at + 6];
    target = packet;
    router = header;
    localPort = (int) words[at + 7] >>> 16;
    remotePort = (int) words[at + 7] & 0xffff;
  }
}
