package org.rddp.ip;

import org.rddp.device.PacketPool;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/**
 * The fragments of one datagram in order, by reference, until it is complete (RFC 791 section 3.2).
 *
 * <p>Fragments that overlap without being equal are an attack: the datagram is then discarded with
 * all further fragments, as RFC 5722 requires for IPv6. A discarded datagram keeps its entry, but
 * no packet.
 */
final class FragmentedDatagram {
  /** The result of {@link #add}. */
  enum Outcome {
    /** The fragment is kept; others are missing. */
    KEPT,
    /** The fragment is a duplicate, or the datagram is discarded: it is not kept. */
    DROPPED,
    /** The fragment is kept and was the last one missing. */
    COMPLETE,
    /** The fragment contradicts the others: the datagram is discarded. */
    DISCARDED
  }

  /** Limit of fragments: a jumbo frame over links with the least MTU needs fewer. */
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
  private boolean discarded;
  private int source;
  private int protocol;
  private int identification;
  private long deadline;
  private long senderMac;

  FragmentedDatagram(PacketPool pool) {
    this.pool = pool;
  }

  /** Starts the datagram of a fragment. */
  void begin(long header, long fromMac, long expires) {
    source = Ipv4.source(header);
    protocol = Ipv4.protocol(header);
    identification = Ipv4.identification(header);
    senderMac = fromMac;
    deadline = expires;
    total = -1;
    codepoints = 0;
    discarded = false;
  }

  /** Whether a fragment, which is addressed to us, belongs to this datagram. */
  boolean owns(long header) {
    return Ipv4.identification(header) == identification
        && Ipv4.source(header) == source
        && Ipv4.protocol(header) == protocol;
  }

  /**
   * Adds a fragment of at least one octet; retains its packet if the fragment is kept.
   *
   * @param header its IP header
   */
  Outcome add(long header, long packet) {
    if (discarded) {
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
      discard();
      return Outcome.DISCARDED;
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

  /** Releases every fragment and accepts no more. */
  void discard() {
    for (int i = 0; i < count; i++) {
      pool.release(packets[i]);
    }
    count = 0;
    octets = 0;
    discarded = true;
  }

  /** Copies the payload of a complete datagram to an address. */
  void copyTo(long address) {
    for (int i = 0; i < count; i++) {
      long from = headers[i] + Ipv4.headerLength(headers[i]);
      Memory.copy(from, address + offsets[i], lengths[i]);
    }
  }

  /**
   * The ECN codepoint of the whole (RFC 3168 section 5.3).
   *
   * @return -1 if one fragment has CE and another has Not-ECT
   */
  int ecn() {
    if ((codepoints & (1 << Ipv4.CE)) == 0) {
      return Ipv4.ecn(headers[0]);
    }
    return (codepoints & (1 << Ipv4.NOT_ECT)) == 0 ? Ipv4.CE : -1;
  }

  /** The IP header of the first fragment; 0 if it has not been received. */
  long firstHeader() {
    return count > 0 && offsets[0] == 0 ? headers[0] : 0;
  }

  /** Octets of the payload of a complete datagram. */
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

  /** When the reassembly times out. */
  long deadline() {
    return deadline;
  }
}
