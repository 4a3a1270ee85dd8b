package org.rddp.ddp.receiving;

import org.rddp.ddp.memory.AddressPieces;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.ddp.segment.SegmentHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Memory;

/** A posted Untagged Buffer, and which octets of its message have been placed. Reused. */
final class ReceiveBuffer {
  /** Octets of heap for an object with its list of pieces and its ranges. */
  static final int OCTETS = 416;

  private static final int HEAD = ReceiveHandler.HEAD;

  private final PlacedRanges placed = new PlacedRanges();
  private long token;
  private long address;
  private long length;

  /** The pieces of the buffer, if {@link #listed}; null until a buffer has several. */
  private AddressPieces pieces;

  private boolean listed;

  private boolean complete;
  private boolean tooShort;

  /** Whether its memory has been revoked. */
  private boolean revoked;

  /** The message's first octets, if they are not in the memory, or that was revoked behind them. */
  private long keptHead;

  /** Whether the message was one that needs no memory. */
  private boolean headKept;

  private int rsvdUlp;
  private int rsvdUlpRest;

  /** This and the next two fields are from the message's last segment. */
  private int control;

  private int lastMo;
  private int lastOctets;

  void post(long token, long address, long length) {
    this.token = token;
    this.address = address;
    this.length = length;
    listed = false;
    placed.clear();
    headKept = false;
    complete = false;
    tooShort = false;
    revoked = false;
  }

  void post(long token, AddressPieces list) {
    post(token, list.address(), list.length());
    listed = list.count() > 1;
    if (listed) {
      if (pieces == null) {
        pieces = new AddressPieces();
      }
      pieces.set(list);
    }
  }

  /** Becomes a copy of another buffer, in which nothing has been placed yet. */
  void take(ReceiveBuffer other) {
    if (other.listed) {
      post(other.token, other.pieces);
    } else {
      post(other.token, other.address, other.length);
    }
    revoked = other.revoked;
  }

  /**
   * Revokes the memory. A complete message is still Delivered; otherwise the next octets for this
   * buffer are refused, which ends the stream.
   */
  void revoke() {
    if (length > 0 && !headKept) {
      keptHead = complete ? head() : 0;
    }
    revoked = true;
    address = 0;
    length = 0;
    listed = false;
  }

  /** Whether {@link #revoke} was called. */
  boolean revoked() {
    return revoked;
  }

  long token() {
    return token;
  }

  boolean complete() {
    return complete;
  }

  int rsvdUlp() {
    return rsvdUlp;
  }

  int rsvdUlpRest() {
    return rsvdUlpRest;
  }

  /** Length of the message once complete; at most the length of the buffer. */
  long messageLength() {
    return placed.end(); // DDP-5.4-03, DDP-5.4-04
  }

  /** The message's first eight octets as a big-endian number, 0 if it is shorter. */
  long head() {
    if (messageLength() < HEAD) {
      return 0;
    }
    if (length == 0 || headKept) {
      return keptHead;
    }
    if (!listed) {
      return Memory.getLong(address);
    }
    long head = 0;
    for (int i = 0; i < HEAD; i++) {
      head = head << 8 | Memory.getByte(pieces.addressOf(i));
    }
    return head;
  }

  /**
   * Places the payload of a segment that has passed all checks. That of a message which needs no
   * memory is kept here, and the memory stays as it is.
   *
   * @param head length of a message that needs no memory, 0 for none
   */
  void place(SegmentHeader header, Ulpdu segment, int head) {
    long offset = Integer.toUnsignedLong(header.mo());
    int from = DdpHeader.UNTAGGED_LENGTH;
    if (isHead(header.mo(), header.octets(), header.last(), head)) {
      keptHead = segment.getLong(from); // RDMAPX-6-03
      headKept = true;
      return;
    }
    if (!listed) {
      segment.copy(from, address + offset, header.octets()); // DDP-5.2-04
      return;
    }
    int left = header.octets();
    while (left > 0) {
      int part = (int) Math.min(left, pieces.remainingInPiece(offset));
      segment.copy(from, pieces.addressOf(offset), part);
      from += part;
      offset += part;
      left -= part;
    }
  }

  /**
   * The reason why a segment may not be placed here, or null (RFC 5041 section 7.1).
   *
   * <p>Refuses two things that the RFC lets a Data Sink ignore: a last segment without the highest
   * Message Offset (section 4.1), and a message with missing octets (section 5.2), since the
   * program would take the buffer's old contents for the peer's. The Message Offset of an empty
   * segment is ignored. Other segments may come in any order (section 5.3), with at most {@link
   * PlacedRanges#MOST} ranges at a time.
   *
   * @param head length of a message that needs no memory, 0 for none
   */
  DdpError refusal(int mo, int octets, boolean last, int head) {
    if (complete) {
      return DdpError.MSN_RANGE; // DDP-5.3-05: "MUST Deliver a DDP Message to the ULP at most once"
    }
    DdpError bounds = boundsRefusal(mo, octets, last, head);
    if (bounds != null) {
      tooShort = true;
      return bounds;
    }
    long from = Integer.toUnsignedLong(mo);
    long end = placed.end();
    long start = octets > 0 ? from : end;
    long messageEnd = start + octets;
    // DDP-5.3-02; DDP-4.1-05: "MUST carry the highest MO"
    if (last && (messageEnd < end || !placed.completeWith(start, messageEnd))) {
      return DdpError.INVALID_MO;
    }
    return placed.hasRoom() ? null : DdpError.INVALID_MO;
  }

  /** Whether a segment was refused because its octets do not fit into the buffer. */
  boolean tooShort() {
    return tooShort;
  }

  /**
   * The reason why a segment's octets do not fit the buffer, or null. A message that needs no
   * memory must come in one segment, since only the last segment shows which message it is.
   *
   * @param head length of a message that needs no memory, 0 for none
   */
  DdpError boundsRefusal(int mo, int octets, boolean last, int head) {
    long from = Integer.toUnsignedLong(mo);
    if (octets == 0 || isHead(mo, octets, last, head)) { // RDMAPX-6-03
      return null;
    }
    if (from >= length) {
      // DDP-7.1-07: "The MO falls in the range of legal offsets associated with the Untagged
      // Buffer"
      return revoked ? DdpError.LOCAL_CATASTROPHIC : DdpError.INVALID_MO;
    }
    // DDP-7.1-08: "The sum of the DDP Segment payload length and the MO falls in the range";
    // RDMAP-5.3-06, RDMAPX-6-03
    return octets > length - from ? DdpError.MESSAGE_TOO_LONG : null;
  }

  private static boolean isHead(int mo, int octets, boolean last, int head) {
    return head != 0 && last && mo == 0 && octets == head;
  }

  /** Records, in order, a segment that has been placed. */
  void placed(SegmentHeader header) {
    if (header.octets() > 0) {
      long from = Integer.toUnsignedLong(header.mo());
      placed.add(from, from + header.octets()); // DDP-5.3-04
    }
    if (header.last()) {
      complete = true;
      placed.trim();
      rsvdUlp = header.rsvdUlp(); // DDP-4.3-04
      rsvdUlpRest = header.rsvdUlpRest();
      control = header.control();
      lastMo = header.mo();
      lastOctets = header.octets();
    }
  }

  /** Stores the header of the last segment of this buffer's message in {@code last}. */
  void lastSegment(int qn, int msn, SegmentHeader last) {
    last.setUntagged(control, rsvdUlp, rsvdUlpRest, qn, msn, lastMo, lastOctets);
  }

  /** Transfers a buffer, and which octets of its message have been placed. */
  void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(ReceiveBuffer.class);
    token = snapshot.number("token", token);
    length = snapshot.number("length", length, 0, Long.MAX_VALUE);
    listed = snapshot.flag("listed", listed);
    if (listed) {
      pieces = pieces == null ? new AddressPieces() : pieces;
      pieces.transfer(snapshot, references.memories());
    }
    address = references.memories().transfer(snapshot, "address", address, listed ? 0 : length);
    if (length > 0 && (listed ? pieces.length() != length : address == 0)) {
      throw snapshot.wrong("a receive is in no memory");
    }
    complete = snapshot.flag("complete", complete);
    tooShort = snapshot.flag("tooShort", tooShort);
    revoked = snapshot.flag("revoked", revoked);
    keptHead = snapshot.number("keptHead", keptHead);
    headKept = snapshot.flag("headKept", headKept);
    rsvdUlp = snapshot.number("rsvdUlp", rsvdUlp);
    rsvdUlpRest = snapshot.number("rsvdUlpRest", rsvdUlpRest);
    control = snapshot.number("control", control);
    lastMo = snapshot.number("lastMo", lastMo);
    lastOctets = snapshot.number("lastOctets", lastOctets);
    if (snapshot.reads()) {
      placed.clear();
    }
    placed.transfer(snapshot);
    snapshot.end();
  }
}
