package org.rddp.mpa;

import org.rddp.device.PacketPool;

/**
 * Finds the FPDUs in the octets of one half connection, verifies them and passes their ULPDUs (RFC
 * 5044 sections 5.2, 6 and 8).
 *
 * <p>Segments come in order; {@link EarlyFpdus} is for those that do not. An FPDU that lies whole
 * in a segment is verified and shown where it is; one that does not is kept piece by piece until
 * its last octet has come. Only the length field of a valid FPDU says where the next one starts.
 * After an error nothing more is passed.
 */
final class MpaReceiver {
  private final UlpduHandler handler;
  private final FpduReader reader;
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

  /** A receiver at the beginning of Full Operation. */
  MpaReceiver(UlpduHandler handler, PacketPool pool, FpduReader reader) {
    this.handler = handler;
    this.reader = reader;
    this.position = reader.start();
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
      int size = reader.size(whole, position);
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
    return count == 0 || (count == Markers.OCTETS && reader.startsWithMarker(kept, position));
  }

  /** Stream position of the FPDU that is coming. */
  long position() {
    return position;
  }

  /** Stream position behind the last octet taken. */
  long end() {
    return position + kept.count();
  }

  /**
   * Stream position of the first FPDU of which nothing is here yet, or -1 when the one before it is
   * of unknown size.
   */
  long nextStart() {
    if (kept.count() == 0) {
      return position;
    }
    return keptSize == 0 ? -1 : position + keptSize;
  }

  /** FPDUs found valid and passed so far; early ones count when they have their turn. */
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

  /** Whether nothing more is passed, after an error or the end. */
  boolean stopped() {
    return closed || error != null;
  }

  /**
   * Goes on behind FPDUs that Markers have led to and that have been passed before their turn.
   *
   * @param behind stream position of the next FPDU
   * @return false when the chain of lengths leads somewhere else, which is an error
   */
  boolean skip(long behind) {
    if (kept.count() > 0) {
      fail(
          MpaError.MARKER,
          remainder() + " reach up to position " + end() + ", where FPDUPTR says that one starts");
      return false;
    }
    position = behind;
    passed++;
    return true;
  }

  /** Adds to the kept FPDU what belongs to it. Returns how many octets those were. */
  private int complete(long address, int length, long packet) {
    int taken = 0;
    if (keptSize == 0) {
      taken = Math.min(length, reader.headerOctets(position) - kept.count());
      kept.keep(address, taken, packet);
      keptSize = reader.size(kept, position);
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

  /** Verifies an FPDU before anything else is done with it, and passes its ULPDU. */
  private void pass(FpduOctets fpdu, int size) {
    if (reader.crcWrong(fpdu, size)) {
      fail(MpaError.CRC, reader.crcFault(fpdu, position, size));
      return;
    }
    int wrong = reader.wrongMarker(fpdu, position, size);
    if (wrong != FpduReader.NONE) {
      fail(MpaError.MARKER, reader.markerFault(fpdu, position, wrong));
      return;
    }
    ulpdu.reset(position, false);
    reader.show(fpdu, position, ulpdu);
    position += size;
    passed++;
    handler.onUlpdu(ulpdu);
  }

  private void fail(MpaError error, String detail) {
    this.error = error;
    this.detail = detail;
    kept.clear();
  }
}
