package org.rddp.mpa;

import org.rddp.crc.Crc32c;
import org.rddp.device.PacketPool;
import org.rddp.tcp.TcpStream;
import org.rddp.wire.Memory;

/**
 * Makes one FPDU of each ULPDU, in the packet that goes out as one segment (RFC 5044 sections 4 and
 * 5.1): payload is copied once, from the user's memory to behind its header.
 */
final class MpaSender {
  private final TcpStream stream;
  private final PacketPool pool;
  private final Crc32c crc32c;
  private final boolean markers;

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
   */
  MpaSender(TcpStream stream, Crc32c crc32c, boolean markers) {
    this.stream = stream;
    this.pool = stream.pool();
    this.crc32c = crc32c;
    this.markers = markers;
  }

  /** Whether anything has been sent. */
  boolean begun() {
    return offset > 0;
  }

  /**
   * Sends a ULPDU made of two parts.
   *
   * @return false when there is no packet to be had
   */
  boolean send(long head, int headLength, long payload, int payloadLength) {
    long packet = stream.allocate();
    if (packet == 0) {
      return false;
    }
    long address = pool.address(packet);
    int length = headLength + payloadLength;
    int size = size(length);
    if (size > pool.end(packet) - address) {
      pool.release(packet);
      throw new IllegalStateException("FPDU of " + size + " octets does not fit into a packet");
    }
    int crcAt = size - Fpdu.CRC;
    int crc;
    if (markers) {
      writeMarked(address, head, headLength, payload, payloadLength);
      crc = crc32c.update(0, address, crcAt);
    } else if (crc32c.copiesInOnePass(payloadLength)) {
      crc = writeInOnePass(address, head, headLength, payload, payloadLength);
    } else {
      write(address, head, headLength, payload, payloadLength);
      crc = crc32c.update(0, address, crcAt);
    }
    Memory.putInt(address + crcAt, Integer.reverseBytes(crc));
    pool.window(packet, address, size);
    offset += size;
    stream.send(packet);
    return true;
  }

  private int size(int length) {
    int size = Fpdu.size(length);
    return markers ? Markers.span(offset, size) : size;
  }

  private static void write(
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

  /** ULPDU_Length and the first part. Returns where the payload goes. */
  private static long writeHead(long address, long head, int headLength, int length) {
    long at = address + Fpdu.LENGTH;
    Memory.putShort(address, length);
    Memory.copy(head, at, headLength);
    return at + headLength;
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
