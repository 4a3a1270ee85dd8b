package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/**
 * The fragments of one datagram, in order, by reference, until all are there (RFC 791 section 3.2).
 *
 * <p>Fragments that overlap without being the same have no honest cause: the datagram is spoiled
 * then, and with it what is still to come of it (as RFC 5722 has it for IPv6). A spoiled datagram
 * keeps its place, but no packet.
 */
final class FragmentedDatagram {
  /** What {@link #add} has done. */
  enum Outcome {
    /** The fragment is kept; others are missing. */
    KEPT,
    /** The fragment has been here before, or the datagram is spoiled: it is not kept. */
    DROPPED,
    /** The fragment is kept, and it was the last one missing. */
    COMPLETE,
    /** The fragment contradicts the others: they are given back, and it is not kept. */
    SPOILED
  }

  /** Fragments that a datagram may come in: a jumbo frame over the smallest links takes fewer. */
  static final int MOST = 64;

  private final PacketPool pool;
  private final long[] packets = new long[MOST];
  private final long[] headers = new long[MOST];
  private final int[] offsets = new int[MOST];
  private final int[] lengths = new int[MOST];
  private int count;
  private int octets;
  private int total;
  private int codepoints;
  private boolean spoiled;
  private int source;
  private int protocol;
  private int identification;
  private long deadline;
  private long senderMac;

  FragmentedDatagram(PacketPool pool) {
    this.pool = pool;
  }

  /** Begins a datagram, that of the given fragment. */
  void begin(long header, long fromMac, long expires) {
    source = Ipv4.source(header);
    protocol = Ipv4.protocol(header);
    identification = Ipv4.identification(header);
    senderMac = fromMac;
    deadline = expires;
    total = -1;
    codepoints = 0;
    spoiled = false;
  }

  /** Whether a fragment belongs to this datagram; they are all for us. */
  boolean owns(long header) {
    return Ipv4.identification(header) == identification
        && Ipv4.source(header) == source
        && Ipv4.protocol(header) == protocol;
  }

  /**
   * Takes a fragment with at least one octet; keeps a reference of its packet if it keeps it.
   *
   * @param header its IP header
   */
  Outcome add(long header, long packet) {
    if (spoiled) {
      return Outcome.DROPPED;
    }
    int offset = Ipv4.fragmentOffset(header);
    int length = Ipv4.totalLength(header) - Ipv4.headerLength(header);
    boolean more = Ipv4.moreFragments(header);
    int at = place(offset);
    if (at < count && offsets[at] == offset && lengths[at] == length) {
      return Outcome.DROPPED;
    }
    if (contradicts(at, offset, length, more) || count == MOST) {
      spoil();
      return Outcome.SPOILED;
    }
    insert(at, header, packet, offset, length);
    if (!more) {
      total = offset + length;
    }
    codepoints |= 1 << Ipv4.ecn(header);
    return octets == total ? Outcome.COMPLETE : Outcome.KEPT;
  }

  /** The index of the first fragment that does not begin before the given offset. */
  private int place(int offset) {
    int at = count;
    while (at > 0 && offsets[at - 1] >= offset) {
      at--;
    }
    return at;
  }

  /** Whether a fragment overlaps others, or disagrees with them on where the datagram ends. */
  private boolean contradicts(int at, int offset, int length, boolean more) {
    int end = offset + length;
    boolean overlaps =
        (at > 0 && offsets[at - 1] + lengths[at - 1] > offset) || (at < count && end > offsets[at]);
    boolean beyond = total >= 0 && (end > total || !more);
    boolean before = !more && at < count;
    return overlaps || beyond || before;
  }

  private void insert(int at, long header, long packet, int offset, int length) {
    int behind = count - at;
    System.arraycopy(packets, at, packets, at + 1, behind);
    System.arraycopy(headers, at, headers, at + 1, behind);
    System.arraycopy(offsets, at, offsets, at + 1, behind);
    System.arraycopy(lengths, at, lengths, at + 1, behind);
    packets[at] = packet;
    headers[at] = header;
    offsets[at] = offset;
    lengths[at] = length;
    pool.retain(packet);
    count++;
    octets += length;
  }

  /** Gives every fragment back, and takes no more. */
  void spoil() {
    for (int i = 0; i < count; i++) {
      pool.release(packets[i]);
    }
    count = 0;
    octets = 0;
    spoiled = true;
  }

  /** Copies the payload, once it is complete, to one place. */
  void copyTo(long address) {
    for (int i = 0; i < count; i++) {
      long from = headers[i] + Ipv4.headerLength(headers[i]);
      Memory.copy(from, address + offsets[i], lengths[i]);
    }
  }

  /**
   * The ECN codepoint of the whole (RFC 3168 section 5.3).
   *
   * @return -1 when one fragment met congestion while another says that the transport knows no ECN
   */
  int ecn() {
    if ((codepoints & (1 << Ipv4.CE)) == 0) {
      return Ipv4.ecn(headers[0]);
    }
    return (codepoints & (1 << Ipv4.NOT_ECT)) == 0 ? Ipv4.CE : -1;
  }

  /** The IP header of the first fragment; 0 when it has not come. */
  long firstHeader() {
    return count > 0 && offsets[0] == 0 ? headers[0] : 0;
  }

  /** Octets of the payload, once it is complete. */
  int length() {
    return total;
  }

  /** Packets that are kept. */
  int packets() {
    return count;
  }

  int source() {
    return source;
  }

  int protocol() {
    return protocol;
  }

  long senderMac() {
    return senderMac;
  }

  /** When it is given up. */
  long deadline() {
    return deadline;
  }
}
