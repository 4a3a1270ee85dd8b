package org.rddp.mpa;

import org.rddp.crc.Crc32c;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * Builds one FPDU per ULPDU, in the packet that is sent as one segment (RFC 5044 sections 4 and
 * 5.1). Payload is copied once, from the user's memory into that packet.
 *
 * <p>When packing, an FPDU is appended to the segment sent last if that is still open and has room
 * for the whole FPDU; otherwise it begins a new segment (appendix A.2).
 *
 * <p>Where TCP has packets for trains, FPDUs of full segments are written one behind the other into
 * one packet, each a segment of its own. All but the last have the same size, at which a network
 * card cuts the frame. So a train ends with an FPDU that is smaller, and before one that is larger.
 * While one waits, {@link #fullMulpdu} varies with the Markers, so that FPDUs keep their size.
 */
final class MpaSender {
  /** Octets of the smallest FPDU: a segment with less room left is complete. */
  private static final int SMALLEST = 8;

  private final TcpStream stream;
  private final Crc32c crc32c;
  private final boolean computesCrc;
  private final boolean markers;
  private final boolean packing;

  /** Null while nobody observes. */
  private FpduObserver observer;

  /** Octets sent since SeqStart. */
  private long offset;

  /** Address of the FPDU's next octet. */
  private long cursor;

  /** Address that corresponds to SeqStart, from which Marker positions are counted. */
  private long origin;

  /** Address of the FPDU's ULPDU_Length, which its Markers point to. */
  private long header;

  /**
   * Creates a sender at the beginning of Full Operation.
   *
   * @param computesCrc whether the peer checks CRCs; otherwise their field is 0
   * @param markers whether the peer requires Markers
   * @param packing whether FPDUs share segments
   */
  MpaSender(
      TcpStream stream, Crc32c crc32c, boolean computesCrc, boolean markers, boolean packing) {
    this.stream = stream;
    this.crc32c = crc32c;
    this.computesCrc = computesCrc;
    this.markers = markers;
    this.packing = packing;
  }

  /**
   * MULPDU of the next segment: behind a train, the ULPDU that makes its FPDU as long as the others
   * there, if its Markers leave more or less room than usual.
   *
   * @param usual MULPDU by the formula
   */
  int fullMulpdu(int usual) {
    int segment = markers && stream.openRoom() == 0 ? stream.trainSegment() : 0;
    // MPA-4.5-03
    return segment == 0 ? usual : Math.max(Mulpdu.within(segment, offset, true), Mulpdu.MIN);
  }

  /** Whether an FPDU of MULPDU octets would leave in the frame of the last one. */
  boolean joinsLast() {
    return stream.trainSegment() != 0 && (stream.openRoom() == 0 || room() >= Mulpdu.MIN);
  }

  /**
   * The largest ULPDU that fits the room left in the open segment if that is at least {@link
   * Mulpdu#MIN}; otherwise {@code full}.
   *
   * @param full MULPDU of an empty segment
   */
  int mulpdu(int full) {
    int room = room();
    // MPA-4.5-10; MPA-4.5-09: "MUST NOT provide a MULPDU smaller than 128"
    return room < Mulpdu.MIN ? full : Math.min(room, full);
  }

  /** The largest ULPDU that fits the room left in the open segment; less than 1 if none does. */
  private int room() {
    int room = packing ? stream.openRoom() : 0;
    return Mulpdu.within(room, offset, markers); // MPA-4.5-03, MPA-4.5-04, MPAA-2-03
  }

  /** Touches the cache lines that sending needs: {@link MpaConnection#prefetchSending}. */
  int prefetch() {
    return (int) offset + (packing ? 1 : 0);
  }

  /** Sets the observer of the FPDUs from now on; null for none. */
  void observe(FpduObserver next) {
    observer = next;
  }

  /** Whether anything has been sent. */
  boolean begun() {
    return offset > 0;
  }

  /**
   * Sends a ULPDU made of two parts.
   *
   * @param more whether other ULPDUs may follow in this turn of the duty cycle; a segment with room
   *     is then kept open for them
   * @return false if no packet is available
   */
  boolean send(long head, int headLength, long payload, int payloadLength, boolean more) {
    int size = size(headLength + payloadLength);
    boolean room = size == stream.trainSegment() || leavesRoom(size);
    // A segment takes several FPDUs only if each is whole in it: MPA-5.1-05, MPAA-1-02, ANA-6-01;
    // MPA-2-03: "includes an integer number of FPDUs". The one that does not fit begins the next
    // segment, and this one stays shorter: MPAA-2-02, MPAA-2-04, MPAB-2.2-03.
    long address = stream.reserve(size, packing, more && isFull(size));
    if (address == 0) {
      return false;
    }
    // MPAA-1-07; MPA-3-01: "exactly one ULPDU contained in one FPDU"; D03-7.3-04: "MUST still
    // format the FPDU according to FPDU format"
    write(address, size, head, headLength, payload, payloadLength);
    // The segment begins with an FPDU and holds whole ones, whatever their size: MPA-3-16,
    // MPA-5.1-04, MPAA-1-01, MPAA-2-01; in the draft D03-5.1.1-01, D03-5.1.1-03, D03-7.3-01.
    stream.commit(size, more && room); // ANA-6-08
    return true;
  }

  /** Whether the segment of the next FPDU has room for another one behind it. */
  private boolean leavesRoom(int size) {
    if (!packing) {
      return false;
    }
    int open = Math.max(stream.openRoom(), stream.trainSegment());
    return (size <= open ? open : stream.emss()) - size >= SMALLEST;
  }

  /** Whether an FPDU fills a segment, except for room reserved for a Marker. */
  private boolean isFull(int size) {
    return size + Long.BYTES > stream.emss();
  }

  /** Writes an FPDU of {@code size} octets with its Markers. */
  private void write(
      long address, int size, long head, int headLength, long payload, int payloadLength) {
    int crcAt = size - Fpdu.CRC;
    int crc;
    if (markers) {
      writeMarked(address, head, headLength, payload, payloadLength);
      // MPA-4.3-08; MPA-4.3-01, MPA-4.4-13: "from the first octet of the ULPDU Length field,
      // through all the ULPDU and Markers"; MPA-4.4-14: "from the first octet of the Marker,
      // through the ULPDU Length header"
      crc = crc(address, crcAt);
    } else if (computesCrc && crc32c.copiesInOnePass(payloadLength)) {
      crc = writeInOnePass(address, head, headLength, payload, payloadLength);
    } else {
      writePlain(address, head, headLength, payload, payloadLength);
      crc = crc(address, crcAt);
    }
    // MPA-4.4-15, MPA-4.1-06: "the resultant value is placed into the CRC field at the end of the
    // FPDU", also where it is not checked (MPA-4.4-10). Figures: MPA-4.4-18, MPA-4.4-19;
    // D03-7.2-03, D03-7.2-04.
    Memory.putInt(address + crcAt, Integer.reverseBytes(crc));
    offset += size;
    if (observer != null) {
      int length = headLength + payloadLength;
      observer.onSent(stream.sendPosition(), size, head, headLength, length);
    }
  }

  private int crc(long address, int octets) {
    return computesCrc ? crc32c.update(0, address, octets) : 0;
  }

  private int size(int length) {
    int size = Fpdu.size(length);
    return markers ? Markers.span(offset, size) : size;
  }

  private static void writePlain(
      long address, long head, int headLength, long payload, int payloadLength) {
    int length = headLength + payloadLength;
    long at = writeHead(address, head, headLength, length);
    Memory.copy(payload, at, payloadLength);
    putPad(at + payloadLength, Fpdu.pad(length));
  }

  /**
   * Writes an FPDU without Markers, except for its CRC; returns the CRC, computed over the payload
   * in the pass that copies it.
   */
  private int writeInOnePass(
      long address, long head, int headLength, long payload, int payloadLength) {
    int length = headLength + payloadLength;
    long at = writeHead(address, head, headLength, length);
    int crc = crc32c.update(0, address, at - address);
    crc = crc32c.copy(crc, payload, at, payloadLength);
    int pad = Fpdu.pad(length);
    putPad(at + payloadLength, pad);
    return crc32c.update(crc, at + payloadLength, pad);
  }

  /**
   * Writes ULPDU_Length and the first part. Returns the address for the payload.
   *
   * <p>Writes words of eight octets because the CRC reads such words next: a load that spans
   * several stores stalls until all of them have reached the cache (failed store forwarding).
   */
  private static long writeHead(long address, long head, int headLength, int length) {
    long before = length; // MPA-4.1-02: "the number of octets of the contained ULPDU"
    int done = 0;
    while (headLength - done >= Long.BYTES) {
      long word = Memory.getLong(head + done);
      Memory.putLong(address + done, before << 48 | word >>> 16);
      before = word & 0xffff;
      done += Long.BYTES;
    }
    writeRest(address + done, before, head + done, headLength - done);
    return address + Fpdu.LENGTH + headLength;
  }

  /**
   * Writes the last two octets of a word already read and the 0 to 7 octets after it; DDP's headers
   * leave 6 or 2.
   */
  private static void writeRest(long address, long before, long from, int octets) {
    if (octets == 6) {
      long begin = before << 48 | (Memory.getInt(from) & 0xffff_ffffL) << 16;
      Memory.putLong(address, begin | Memory.getShort(from + Integer.BYTES));
    } else if (octets == 2) {
      Memory.putInt(address, (int) before << 16 | Memory.getShort(from));
    } else {
      Memory.putShort(address, (int) before);
      Memory.copy(from, address + Short.BYTES, octets);
    }
  }

  private static void putPad(long address, int octets) {
    for (int at = 0; at < octets; at++) {
      Memory.putByte(address + at, 0); // MPA-4.1-03: "MUST be set to zero by the sender"
    }
  }

  /** Writes everything but the CRC, with Markers at their positions. */
  private void writeMarked(
      long address, long head, int headLength, long payload, int payloadLength) {
    int length = headLength + payloadLength;
    cursor = address;
    origin = address - offset;
    header = address;
    // MPA-4.3-10, MPA-7.1.2-22: "the first octets sent are the special Marker 0x00000000";
    // D03-7.1-01: "immediately following MPA connection establishment". Peers that expect no MPA
    // see zeros: ANA-8-02, ANA-8.1-09, ANA-8.2.1-07.
    if (Markers.at(offset)) {
      header += Markers.OCTETS;
      Memory.putInt(address, 0); // MPA-4.3-07: "when the Marker falls exactly between FPDUs"
      cursor += Markers.OCTETS;
    }
    Memory.putShort(cursor, length); // MPA-4.1-02
    cursor += Fpdu.LENGTH;
    copyBetweenMarkers(head, headLength);
    copyBetweenMarkers(payload, payloadLength);
    int pad = Fpdu.pad(length);
    putPad(cursor, pad);
    cursor += pad;
    putMarkerWhereDue(); // MPA-4.4-13, MPA-4.4-21, D03-6.1-01
  }

  private void copyBetweenMarkers(long from, int octets) {
    int done = 0;
    while (done < octets) {
      putMarkerWhereDue();
      int part = Math.min(octets - done, Markers.distance(cursor - origin));
      Memory.copy(from + done, cursor, part);
      cursor += part;
      done += part;
    }
  }

  private void putMarkerWhereDue() {
    // MPA-4.3-03, MPA-4.3-04: "MPA senders MUST insert a Marker into the data stream at a 512-octet
    // periodic interval"
    if (Markers.at(cursor - origin)) {
      // MPA-4.2-04: "the number of octets in the TCP stream from the beginning of the ULPDU Length
      // field to the first octet of the entire Marker". MPA-4.2-02: "MUST be set to zero on
      // transmit"; MPA-4.2-05: "MUST always be set to zero at the transmitter"; D03-7.1-02.
      // MPA-4.3-13, MPA-4.3-14: "all point to the same point in the TCP stream". Examples:
      // MPA-4.3-17, MPA-4.4-20. The draft counts from elsewhere (D03-6.1-01).
      Memory.putInt(cursor, (int) (cursor - header));
      cursor += Markers.OCTETS;
    }
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(MpaSender.class);
    offset = snapshot.number("offset", offset);
    snapshot.end();
  }
}
