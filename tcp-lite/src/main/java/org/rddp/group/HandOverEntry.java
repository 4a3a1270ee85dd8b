package org.rddp.group;

/**
 * What one stack hands over to another: 64 octets, a cache line. Its kind says which of the values
 * it has; one method for each kind sets them. A stack reuses an instance.
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

  /** Kind, flag, origin and code; above them the length. */
  private static final int HEAD = 0;

  private static final int KIND = 0x7f;
  private static final int FLAG = 0x80;
  private static final int ORIGIN_SHIFT = 8;
  private static final int CODE_SHIFT = 16;
  private static final int LENGTH_SHIFT = 32;

  /** Two values of 32 bits: an address above a sequence number or another address. */
  private static final int REMOTE = 1;

  private static final int HIGH = 2;
  private static final int LOW = 3;
  private static final int MAC = 4;
  private static final int PACKET = 5;
  private static final int HEADER = 6;
  private static final int PORTS = 7;

  /** A redirect has no packet, but two hosts more. */
  private static final int TARGET = PACKET;

  private static final int ROUTER = HEADER;

  final long[] words = new long[WORDS];

  /** An entry whose values are to be set. */
  public HandOverEntry() {}

  private HandOverEntry head(Kind kind, boolean flag, int code, int length) {
    words[HEAD] =
        kind.ordinal()
            | (flag ? FLAG : 0)
            | (code & 0xffffL) << CODE_SHIFT
            | (long) length << LENGTH_SHIFT;
    return this;
  }

  /**
   * Sets a TCP segment.
   *
   * @param quiet whether it is not to be answered by a reset
   * @param header address of TCP's header, in the packet
   * @param length octets of header and payload
   */
  public HandOverEntry segment(
      boolean quiet, int ecn, long packet, long header, int length, long senderMac) {
    words[PACKET] = packet;
    words[HEADER] = header;
    words[MAC] = senderMac;
    return head(quiet ? Kind.QUIET_SEGMENT : Kind.SEGMENT, false, ecn, length);
  }

  /**
   * Sets an ICMP error about a segment of ours.
   *
   * @param kind {@link Kind#UNREACHABLE} or {@link Kind#TOO_BIG}
   * @param value the reason, or the MTU claimed
   * @param sequence number of the segment
   */
  public HandOverEntry error(Kind kind, int value, int localPort, int remotePort, int sequence) {
    words[PORTS] = (long) localPort << 16 | remotePort;
    words[REMOTE] = sequence & 0xffff_ffffL;
    return head(kind, false, 0, value);
  }

  /** Sets the remote address of a segment, an error or a path to one of IPv4. */
  public HandOverEntry remote(int address) {
    words[REMOTE] = (long) address << 32 | (words[REMOTE] & 0xffff_ffffL);
    return this;
  }

  /**
   * Sets the remote address of a segment, an error or a path to one of IPv6.
   *
   * @param local which of our addresses it is used with
   */
  public HandOverEntry remote(long high, long low, int local) {
    words[HIGH] = high;
    words[LOW] = low;
    return remote(local);
  }

  /** Sets the MTU of the path to a remote address, in octets. */
  public HandOverEntry pathMtu(int octets) {
    return head(Kind.PATH_MTU, false, 0, octets);
  }

  /** Sets a message of ARP. */
  public HandOverEntry arp(int operation, int sender, long senderMac, int target) {
    words[REMOTE] = (long) sender << 32 | (target & 0xffff_ffffL);
    words[MAC] = senderMac;
    return head(Kind.ARP, false, operation, 0);
  }

  /** Sets a neighbour advertisement. */
  public HandOverEntry advertisement(long high, long low, long macAddress, boolean solicited) {
    words[HIGH] = high;
    words[LOW] = low;
    words[MAC] = macAddress;
    return head(Kind.ADVERTISEMENT, solicited, 0, 0);
  }

  /**
   * Sets a router advertisement.
   *
   * @param lifetime in seconds, 0 to 65535
   * @param mtu octets; 0 if the router tells none
   */
  public HandOverEntry router(long high, long low, int lifetime, int mtu) {
    words[HIGH] = high;
    words[LOW] = low;
    return head(Kind.ROUTER, false, lifetime, mtu);
  }

  /**
   * Sets a redirect of a destination.
   *
   * @param target lower half of the next hop's link-local address
   * @param router lower half of the sender's link-local address
   * @param host whether the next hop is the destination itself
   */
  public HandOverEntry redirect(long high, long low, long target, long router, boolean host) {
    words[HIGH] = high;
    words[LOW] = low;
    words[TARGET] = target;
    words[ROUTER] = router;
    return head(Kind.REDIRECT, host, 0, 0);
  }

  /**
   * Sets another host's claim to an address of ours.
   *
   * @param index of our address
   * @param probe whether it asks whether somebody has it
   */
  public HandOverEntry claim(int index, long macAddress, boolean probe) {
    words[MAC] = macAddress;
    return head(Kind.CLAIM, probe, index, 0);
  }

  void origin(int stack) {
    words[HEAD] = (words[HEAD] & ~0xff00L) | (long) stack << ORIGIN_SHIFT;
  }

  /** The kind. */
  public Kind kind() {
    return KINDS[(int) words[HEAD] & KIND];
  }

  /** The stack that has received it from the device. */
  public int origin() {
    return (int) words[HEAD] >>> ORIGIN_SHIFT & 0xff;
  }

  /** The ECN codepoint of a segment, the operation of ARP, a lifetime, or an index. */
  public int code() {
    return (int) words[HEAD] >>> CODE_SHIFT;
  }

  /** What is said as yes or no: solicited, the destination itself, a probe. */
  public boolean flag() {
    return (words[HEAD] & FLAG) != 0;
  }

  /** Octets of a segment, an MTU, or the reason of an error. */
  public int length() {
    return (int) (words[HEAD] >>> LENGTH_SHIFT);
  }

  /** An address of IPv4; for IPv6, which of our addresses the remote one is used with. */
  public int remote() {
    return (int) (words[REMOTE] >>> 32);
  }

  /** The sequence number of a segment of ours, or the target of ARP. */
  public int sequence() {
    return (int) words[REMOTE];
  }

  /** Upper half of an address of IPv6. */
  public long high() {
    return words[HIGH];
  }

  /** Its lower half. */
  public long low() {
    return words[LOW];
  }

  /** The sender's MAC address. */
  public long macAddress() {
    return words[MAC];
  }

  /** The packet of a segment. */
  public long packet() {
    return words[PACKET];
  }

  /** The address of a segment's header. */
  public long header() {
    return words[HEADER];
  }

  /** Our port. */
  public int localPort() {
    return (int) words[PORTS] >>> 16;
  }

  /** The remote port. */
  public int remotePort() {
    return (int) words[PORTS] & 0xffff;
  }

  /** Lower half of a redirect's next hop. */
  public long target() {
    return words[TARGET];
  }

  /** Lower half of the address of a redirect's sender. */
  public long router() {
    return words[ROUTER];
  }

  /** Whether it has a packet. */
  boolean hasPacket() {
    return kind() == Kind.SEGMENT || kind() == Kind.QUIET_SEGMENT;
  }
}
