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
  private final long[] payloads = new long[MOST];
  private final int[] offsets = new int[MOST];
  private final int[] lengths = new int[MOST];
  private int count;
  private int octets;
  private int total;
  private int codepoints;
  private boolean discarded;
  private long sourceHigh;
  private long source;
  private int destination;
  private int protocol;
  private int identification;
  private int firstCodepoint;
  private int firstProtocol;
  private long deadline;
  private long senderMac;
  private FragmentErrors errors;

  FragmentedDatagram(PacketPool pool) {
    this.pool = pool;
  }

  /** Starts the datagram of a fragment. */
  void begin(Fragment fragment, long expires) {
    sourceHigh = fragment.sourceHigh;
    source = fragment.source;
    destination = fragment.destination;
    protocol = fragment.protocol;
    identification = fragment.identification;
    senderMac = fragment.senderMac;
    errors = fragment.errors;
    deadline = expires;
    total = -1;
    codepoints = 0;
    discarded = false;
  }

  /** Whether a fragment, which is addressed to us, belongs to this datagram. */
  boolean owns(Fragment fragment) {
    return fragment.identification == identification
        && isFrom(fragment)
        && fragment.destination == destination
        && fragment.protocol == protocol;
  }

  /** Whether a fragment comes from the same host. */
  boolean isFrom(Fragment fragment) {
    return fragment.source == source && fragment.sourceHigh == sourceHigh;
  }

  /** Adds a fragment of at least one octet; retains its packet if the fragment is kept. */
  Outcome add(Fragment fragment, long packet) {
    if (discarded) {
      return Outcome.DROPPED;
    }
    int offset = fragment.offset;
    int length = fragment.length;
    boolean more = fragment.more;
    int at = place(offset);
    if (at < count && offsets[at] == offset && lengths[at] == length) {
      return Outcome.DROPPED;
    }
    if (contradicts(at, offset, length, more) || count == MOST) {
      discard();
      return Outcome.DISCARDED;
    }
    insert(at, fragment, packet);
    if (!more) {
      total = offset + length;
    }
    codepoints |= 1 << fragment.ecn;
    if (offset == 0) {
      firstCodepoint = fragment.ecn;
      firstProtocol = fragment.next;
    }
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

  private void insert(int at, Fragment fragment, long packet) {
    int behind = count - at;
    System.arraycopy(packets, at, packets, at + 1, behind);
    System.arraycopy(headers, at, headers, at + 1, behind);
    System.arraycopy(payloads, at, payloads, at + 1, behind);
    System.arraycopy(offsets, at, offsets, at + 1, behind);
    System.arraycopy(lengths, at, lengths, at + 1, behind);
    packets[at] = packet;
    headers[at] = fragment.header;
    payloads[at] = fragment.payload;
    offsets[at] = fragment.offset;
    lengths[at] = fragment.length;
    pool.retain(packet);
    count++;
    octets += fragment.length;
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
      Memory.copy(payloads[i], address + offsets[i], lengths[i]);
    }
  }

  /**
   * The ECN codepoint of the whole (RFC 3168 section 5.3).
   *
   * @return -1 if one fragment has CE and another has Not-ECT
   */
  int ecn() {
    if ((codepoints & (1 << Ipv4.CE)) == 0) {
      return firstCodepoint;
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

  /** The protocol that the payload begins with, by the first fragment. */
  int protocol() {
    return firstProtocol;
  }

  /** Reports errors to the datagram's source. */
  FragmentErrors errors() {
    return errors;
  }

  long senderMac() {
    return senderMac;
  }

  /** When the reassembly times out. */
  long deadline() {
    return deadline;
  }
}
