package org.rddp.ddp.receiving;

import org.rddp.ddp.memory.DdpScatterList;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.ddp.segment.SegmentHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.wire.Memory;

/**
 * A posted Untagged Buffer and how far the message that it is for has been placed in it. Reused.
 */
final class ReceiveBuffer {
  private static final int HEAD = 8;

  private final PlacedRanges placed = new PlacedRanges();
  private long id;
  private long address;
  private long length;

  /** The pieces of the buffer, if {@link #listed}; null until a buffer has several. */
  private DdpScatterList pieces;

  private boolean listed;
  private boolean complete;
  private boolean tooShort;
  private int rsvdUlp;
  private int rsvdUlpRest;

  /** These three: of the message's last segment. */
  private int control;

  private int lastMo;
  private int lastOctets;

  void post(long id, long address, long length) {
    this.id = id;
    this.address = address;
    this.length = length;
    listed = false;
    placed.clear();
    complete = false;
    tooShort = false;
  }

  void post(long id, DdpScatterList list) {
    post(id, list.address(), list.length());
    listed = list.count() > 1;
    if (listed) {
      if (pieces == null) {
        pieces = new DdpScatterList();
      }
      pieces.set(list);
    }
  }

  /** Takes over what was posted to another, to which nothing has been placed. */
  void take(ReceiveBuffer other) {
    if (other.listed) {
      post(other.id, other.pieces);
    } else {
      post(other.id, other.address, other.length);
    }
  }

  long id() {
    return id;
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

  /** Length of the message, once it is complete; never more than the buffer. */
  long messageLength() {
    return placed.end();
  }

  /** The message's first eight octets as a number, 0 if it has fewer. */
  long head() {
    if (messageLength() < HEAD) {
      return 0;
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

  /** Places the payload of a segment that nothing is against. */
  void place(SegmentHeader header, Ulpdu segment) {
    long offset = Integer.toUnsignedLong(header.mo());
    int from = DdpHeader.UNTAGGED_LENGTH;
    if (!listed) {
      segment.copy(from, address + offset, header.octets());
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
   * What is wrong with placing a segment here, or null (RFC 5041 section 7.1).
   *
   * <p>Two things are refused that the RFC lets a Data Sink overlook: a last segment that does not
   * carry the highest Message Offset (section 4.1), and a message of which octets are missing
   * (section 5.2): the program would take for the peer's what was in the buffer before. The Message
   * Offset of a segment without payload is not looked at. The order of the others does not matter
   * (section 5.3), but there may be no more than {@link PlacedRanges#MOST} gaps at a time.
   */
  DdpError refusal(int mo, int octets, boolean last) {
    if (complete) {
      return DdpError.MSN_RANGE;
    }
    DdpError bounds = boundsRefusal(mo, octets);
    if (bounds != null) {
      tooShort = true;
      return bounds;
    }
    long from = Integer.toUnsignedLong(mo);
    long end = placed.end();
    long start = octets > 0 ? from : end;
    long messageEnd = start + octets;
    if (last && (messageEnd < end || !placed.completeWith(start, messageEnd))) {
      return DdpError.INVALID_MO;
    }
    return placed.hasRoom() ? null : DdpError.INVALID_MO;
  }

  /** Whether a segment was refused because its message is longer. */
  boolean tooShort() {
    return tooShort;
  }

  /** Whether a segment's octets lie in the buffer: what is wrong with them, or null. */
  DdpError boundsRefusal(int mo, int octets) {
    long from = Integer.toUnsignedLong(mo);
    if (octets == 0) {
      return null;
    }
    if (from >= length) {
      return DdpError.INVALID_MO;
    }
    return octets > length - from ? DdpError.MESSAGE_TOO_LONG : null;
  }

  /** Takes note of a segment that has been placed, in its turn. */
  void placed(SegmentHeader header) {
    if (header.octets() > 0) {
      long from = Integer.toUnsignedLong(header.mo());
      placed.add(from, from + header.octets());
    }
    if (header.last()) {
      complete = true;
      rsvdUlp = header.rsvdUlp();
      rsvdUlpRest = header.rsvdUlpRest();
      control = header.control();
      lastMo = header.mo();
      lastOctets = header.octets();
    }
  }

  /** Writes down the last segment of the message that it holds, which had these two numbers. */
  void lastSegment(int qn, int msn, SegmentHeader last) {
    last.setUntagged(control, rsvdUlp, rsvdUlpRest, qn, msn, lastMo, lastOctets);
  }
}
