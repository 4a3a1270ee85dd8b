package org.rddp.group;

/**
 * A packet or message that one stack hands over to another: 64 octets, a cache line. Its kind
 * determines which fields are set. A stack reuses one instance for sending and one for receiving.
 */
public final class HandOverEntry {
  /** The kind of an entry. "All" means every other stack of the group. */
  public enum Kind {
    /** A TCP segment. */
    SEGMENT,
    /** A TCP segment that must not be answered by a reset. */
    QUIET_SEGMENT,
    /** A packet in ESP, for the stack that opens those of its association. */
    SEALED,
    /** An ICMP error: a packet was not delivered. */
    UNREACHABLE,
    /** An ICMP error: a packet was too large for its path. */
    TOO_BIG,
    /** To all: an ARP message. */
    ARP,
    /** To all: the MTU of a path. */
    PATH_MTU,
    /** To all: a neighbour advertisement. */
    ADVERTISEMENT,
    /** To all: a router advertisement. */
    ROUTER,
    /** To all: a redirect. */
    REDIRECT,
    /** To the first stack: another host claims an address of ours. */
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

  /**
   * By kind: whether an advertisement was solicited, a redirect names the destination itself as the
   * next hop, or a claim is a probe.
   */
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

  /** The packet of a segment, or in ESP. */
  public long packet;

  /** The address of TCP's header in the packet, or of that of ESP. */
  public long header;

  /** Our port in the packet that an ICMP error quotes. */
  public int localPort;

  /** The remote port in that packet. */
  public int remotePort;

  /** The sequence number of that packet. */
  public int sequence;

  /** The target of ARP, or the lower half of the next hop's address in a redirect. */
  public long target;

  /** Lower half of the address of a redirect's sender. */
  public long router;

  /** Creates an entry without values. */
  public HandOverEntry() {}

  /** Whether the entry has a packet. */
  boolean hasPacket() {
    return kind == Kind.SEGMENT || kind == Kind.QUIET_SEGMENT || kind == Kind.SEALED;
  }

  @SuppressWarnings("EnumOrdinal") // Writer and reader run in one process.
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
    words[at + 5] = hasPacket() ? packet : target;
    words[at + 6] = hasPacket() ? header : router;
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
