package org.rddp.mpa;

import org.rddp.crc.Crc32c;
import org.rddp.device.PacketPool;

/**
 * Finds the FPDUs in the octets of one half connection, verifies them and passes their ULPDUs (RFC
 * 5044 sections 5.2, 6 and 8).
 *
 * <p>Segments come in order. An FPDU that lies whole in a segment is verified and shown where it
 * is; one that does not is kept piece by piece until its last octet has come. Only the length field
 * of a valid FPDU says where the next one starts. After an error nothing more is passed.
 */
final class MpaReceiver {
  /** From here up an FPDUPTR could not say how far behind its FPDU starts. */
  private static final int MAX_POINTER = 0xffff;

  private final UlpduHandler handler;
  private final Crc32c crc32c;
  private final boolean checkCrc;
  private final boolean markers;
  private final long start;
  private final FpduOctets whole;
  private final FpduOctets kept;
  private final Ulpdu ulpdu = new Ulpdu();

  /** Stream position of the FPDU that is coming. */
  private long position;

  /** Octets of the kept FPDU, once its length is there; 0 before. */
  private int keptSize;

  private long passed;
  private MpaError error;
  private String detail;
  private boolean closed;

  /**
   * A receiver at the beginning of Full Operation.
   *
   * @param start stream position of the first octet behind the startup frame
   * @param markers whether the peer has to put Markers in
   */
  MpaReceiver(
      UlpduHandler handler,
      PacketPool pool,
      Crc32c crc32c,
      boolean checkCrc,
      boolean markers,
      long start) {
    this.handler = handler;
    this.crc32c = crc32c;
    this.checkCrc = checkCrc;
    this.markers = markers;
    this.start = start;
    this.position = start;
    this.whole = new FpduOctets(pool);
    this.kept = new FpduOctets(pool);
  }

  /** Takes the octets that follow, and passes every ULPDU that is complete with them. */
  void onSegment(long address, int length, long packet) {
    long at = address;
    long end = address + length;
    if (kept.count() > 0) {
      at += complete(at, length, packet);
    }
    while (at < end && !stopped()) {
      int left = (int) (end - at);
      whole.set(at, left);
      int size = size(whole);
      if (size == 0 || size > left) {
        kept.keep(at, left, packet);
        keptSize = size;
        return;
      }
      pass(whole, size);
      at += size;
    }
  }

  /** Whether the stream stops between two FPDUs; a Marker sent early is no FPDU yet. */
  boolean atBoundary() {
    int count = kept.count();
    return count == 0 || (markers && Markers.at(position - start) && count == Markers.OCTETS);
  }

  /** Stream position of the FPDU that is coming. */
  long position() {
    return position;
  }

  /** FPDUs found valid and passed so far. */
  long passed() {
    return passed;
  }

  /** Whether it has been closed. */
  boolean closed() {
    return closed;
  }

  /** What went wrong, or null. */
  MpaError error() {
    return error;
  }

  /** What went wrong and where, for a person to read. */
  String detail() {
    return detail;
  }

  /** What is there of an FPDU that the stream breaks off in. */
  String remainder() {
    String size = keptSize == 0 ? "unknown size" : keptSize + " octets";
    return kept.count() + " octets of an FPDU of " + size + " at position " + position;
  }

  /** Gives back what is kept; nothing more is passed. */
  void close() {
    closed = true;
    kept.clear();
  }

  private boolean stopped() {
    return closed || error != null;
  }

  /** Adds to the kept FPDU what belongs to it. Returns how many octets those were. */
  private int complete(long address, int length, long packet) {
    int taken = 0;
    if (keptSize == 0) {
      taken = Math.min(length, headerOctets() - kept.count());
      kept.keep(address, taken, packet);
      keptSize = size(kept);
      if (keptSize == 0) {
        return taken;
      }
    }
    int part = Math.min(length - taken, keptSize - kept.count());
    if (part > 0) {
      kept.keep(address + taken, part, packet);
    }
    if (kept.count() == keptSize) {
      pass(kept, keptSize);
      kept.clear();
      keptSize = 0;
    }
    return taken + part;
  }

  /** Octets from the start of the coming FPDU to the end of its length field. */
  private int headerOctets() {
    return leading() + Fpdu.LENGTH;
  }

  private int leading() {
    return markers ? Markers.leading(position - start) : 0;
  }

  /** Octets of the coming FPDU with its Markers, or 0 when its length field is not there yet. */
  private int size(FpduOctets fpdu) {
    if (fpdu.count() < headerOctets()) {
      return 0;
    }
    int size = Fpdu.size(fpdu.getShort(leading()));
    return markers ? Markers.span(position - start, size) : size;
  }

  /** Verifies an FPDU before anything else is done with it, and passes its ULPDU. */
  private void pass(FpduOctets fpdu, int size) {
    if (checkCrc && !crcMatches(fpdu, size)) {
      return;
    }
    int length = fpdu.getShort(leading());
    if (markers && !markersAgree(fpdu, size, length)) {
      return;
    }
    ulpdu.reset(position);
    if (markers) {
      showBetweenMarkers(fpdu, length);
    } else {
      fpdu.show(ulpdu, Fpdu.LENGTH, Fpdu.LENGTH + length);
    }
    position += size;
    passed++;
    handler.onUlpdu(ulpdu);
  }

  private boolean crcMatches(FpduOctets fpdu, int size) {
    int calculated = fpdu.crc(crc32c, size - Fpdu.CRC);
    int received = Integer.reverseBytes(fpdu.getInt(size - Fpdu.CRC));
    if (calculated == received) {
      return true;
    }
    fail(
        MpaError.CRC,
        String.format(
            "FPDU of %d octets at position %d: CRC is 0x%08x, calculated 0x%08x",
            size, position, received, calculated));
    return false;
  }

  /** Checks every Marker of the FPDU: the RFC leaves it open for segments in order, it is cheap. */
  private boolean markersAgree(FpduOctets fpdu, int size, int length) {
    int header = leading();
    int first = header > 0 ? 0 : Markers.distance(position - start);
    for (int at = first; at < size; at += Markers.INTERVAL) {
      int expected = at == 0 ? 0 : at - header;
      int pointer = fpdu.getInt(at) & Markers.POINTER_MASK;
      if (pointer != expected || expected > MAX_POINTER) {
        fail(
            MpaError.MARKER,
            String.format(
                "FPDU with ULPDU_Length %d at position %d: FPDUPTR of its Marker at %d is %d, not"
                    + " %d",
                length, position, position + at, pointer, expected));
        return false;
      }
    }
    return true;
  }

  private void showBetweenMarkers(FpduOctets fpdu, int length) {
    int at = leading() + Fpdu.LENGTH;
    int left = length;
    while (left > 0) {
      if (Markers.at(position - start + at)) {
        at += Markers.OCTETS;
      }
      int part = Math.min(left, Markers.distance(position - start + at));
      fpdu.show(ulpdu, at, at + part);
      at += part;
      left -= part;
    }
  }

  private void fail(MpaError error, String detail) {
    this.error = error;
    this.detail = detail;
    kept.clear();
  }
}
