package org.rddp.mpa;

import org.rddp.crc.Crc32c;
import org.rddp.device.PacketPool;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * Makes one FPDU of each ULPDU, in the packet that goes out as one segment (RFC 5044 sections 4 and
 * 5.1): payload is copied once, from the user's memory to behind its header.
 *
 * <p>When packing, an FPDU goes behind those in the segment that was sent last, as long as that is
 * open and has room for the whole of it; otherwise it begins a segment (appendix A.2).
 */
final class MpaSender {
  /** No FPDU is smaller: where less is left, nothing more can follow. */
  private static final int SMALLEST = 8;

  private final TcpStream stream;
  private final PacketPool pool;
  private final Crc32c crc32c;
  private final boolean markers;
  private final boolean packing;

  /** Octets sent since SeqStart. */
  private long offset;

  /** Where the next octet of the FPDU goes. */
  private long cursor;

  /** The cursor's address if it were at SeqStart: what Marker positions are counted from. */
  private long origin;

  /** Address of the FPDU's ULPDU_Length, which its Markers point to. */
  private long header;

  /**
   * A sender at the beginning of Full Operation.
   *
   * @param markers whether the peer requires Markers
   * @param packing whether FPDUs share segments
   */
  MpaSender(TcpStream stream, Crc32c crc32c, boolean markers, boolean packing) {
    this.stream = stream;
    this.pool = stream.pool();
    this.crc32c = crc32c;
    this.markers = markers;
    this.packing = packing;
  }

  /**
   * The largest ULPDU that fits whole into what the open segment has left, where that is at least
   * {@link Mulpdu#MIN}; otherwise that of a full segment.
   *
   * @param full MULPDU of a full segment
   */
  int mulpdu(int full) {
    long packet = packing ? stream.openPacket() : 0;
    if (packet == 0) {
      return full;
    }
    int fits = Mulpdu.within(room(packet), offset, markers);
    return fits < Mulpdu.MIN ? full : Math.min(fits, full);
  }

  /** Octets that the open segment has left. */
  private int room(long packet) {
    int length = pool.length(packet);
    int inPacket = (int) (pool.end(packet) - pool.address(packet));
    return Math.min(stream.emss(), inPacket) - length;
  }

  /** Whether anything has been sent. */
  boolean begun() {
    return offset > 0;
  }

  /**
   * Sends a ULPDU made of two parts.
   *
   * @param more whether others may follow at once, for which a segment with room is kept open
   * @return false when there is no packet to be had
   */
  boolean send(long head, int headLength, long payload, int payloadLength, boolean more) {
    int size = size(headLength + payloadLength);
    long open = packing ? stream.openPacket() : 0;
    if (open != 0 && size <= room(open)) {
      write(pool.address(open) + pool.length(open), size, head, headLength, payload, payloadLength);
      stream.extend(size, more && room(open) - size >= SMALLEST);
      return true;
    }
    long packet = stream.allocate();
    if (packet == 0) {
      return false;
    }
    long address = pool.address(packet);
    if (size > pool.end(packet) - address) {
      pool.release(packet);
      throw new IllegalStateException("FPDU of " + size + " octets does not fit into a packet");
    }
    write(address, size, head, headLength, payload, payloadLength);
    pool.window(packet, address, size);
    if (packing) {
      stream.send(packet, more && stream.emss() - size >= SMALLEST);
    } else {
      stream.send(packet);
    }
    return true;
  }

  /** Writes an FPDU of {@code size} octets with its Markers. */
  private void write(
      long address, int size, long head, int headLength, long payload, int payloadLength) {
    int crcAt = size - Fpdu.CRC;
    int crc;
    if (markers) {
      writeMarked(address, head, headLength, payload, payloadLength);
      crc = crc32c.update(0, address, crcAt);
    } else if (crc32c.copiesInOnePass(payloadLength)) {
      crc = writeInOnePass(address, head, headLength, payload, payloadLength);
    } else {
      writePlain(address, head, headLength, payload, payloadLength);
      crc = crc32c.update(0, address, crcAt);
    }
    Memory.putInt(address + crcAt, Integer.reverseBytes(crc));
    offset += size;
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

  /** The same, and the CRC of it all, which is taken of the payload while it is copied. */
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
   * ULPDU_Length and the first part. Returns where the payload goes.
   *
   * <p>They are joined to words of eight octets, since the CRC reads such words next: a processor
   * that has to put one together from several stores waits until all of them are in the cache.
   */
  private static long writeHead(long address, long head, int headLength, int length) {
    long before = length;
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

  /** Two octets of a word that has been read, and 0 to 7 more; DDP's headers leave 6 or 2. */
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
      Memory.putByte(address + at, 0);
    }
  }

  /** All but the CRC, with a Marker wherever one is due. */
  private void writeMarked(
      long address, long head, int headLength, long payload, int payloadLength) {
    int length = headLength + payloadLength;
    cursor = address;
    origin = address - offset;
    header = address;
    if (Markers.at(offset)) {
      header += Markers.OCTETS;
      Memory.putInt(address, 0);
      cursor += Markers.OCTETS;
    }
    Memory.putShort(cursor, length);
    cursor += Fpdu.LENGTH;
    copyBetweenMarkers(head, headLength);
    copyBetweenMarkers(payload, payloadLength);
    int pad = Fpdu.pad(length);
    putPad(cursor, pad);
    cursor += pad;
    putMarkerWhereDue();
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
    if (Markers.at(cursor - origin)) {
      Memory.putInt(cursor, (int) (cursor - header));
      cursor += Markers.OCTETS;
    }
  }
}
