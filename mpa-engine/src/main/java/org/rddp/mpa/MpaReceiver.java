package org.rddp.mpa;

import java.util.function.IntConsumer;
import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;

/**
 * Finds the FPDUs in the octets received in order, verifies them and passes their ULPDUs to the
 * user (RFC 5044 sections 5.2, 6 and 8).
 *
 * <p>{@link EarlyFpdus} takes the segments received out of order. An FPDU within one segment is
 * verified and passed in place; one that spans segments is kept by reference until its last octet
 * has arrived. The next FPDU starts where the length field of a valid FPDU says. After an error
 * nothing more is passed.
 */
final class MpaReceiver {
  private final UlpduHandler handler;
  private final FpduReader reader;
  private final FpduOctets whole;
  private final FpduOctets kept;
  private final PacketPool pool;
  private final Ulpdu ulpdu = new Ulpdu();

  /** Null while nobody observes. */
  private FpduObserver observer;

  /** Stream position of the next FPDU. */
  private long position;

  /** Size in octets of the FPDU being kept; 0 until its length field is complete. */
  private int keptSize;

  private long passed;
  private MpaError error;
  private String detail;
  private boolean closed;

  /**
   * Creates a receiver at the beginning of Full Operation.
   *
   * @param retained called with the number of packets that incomplete FPDUs newly retain; negative
   *     for released ones
   */
  MpaReceiver(UlpduHandler handler, PacketPool pool, FpduReader reader, IntConsumer retained) {
    this.handler = handler;
    this.pool = pool;
    this.reader = reader;
    this.position = reader.start();
    this.whole = new FpduOctets(pool);
    this.kept = new FpduOctets(pool, retained);
  }

  /** Sets the observer of the FPDUs from now on; null for none. */
  void observe(FpduObserver next) {
    observer = next;
  }

  /** Touches the cache lines that a segment needs: {@link MpaConnection#prefetch}. */
  int prefetch() {
    return (int) passed + kept.count() + (reader.markerAt(position) ? 1 : 0);
  }

  /**
   * Whether the next octets in order need no other packet to be kept: they complete the FPDU of
   * which some are, or fit behind those.
   */
  boolean keepsNoMore(int length, long packet) {
    boolean completes = keptSize > 0 && length >= keptSize - kept.count();
    return completes || kept.hasRoomFor(length, packet);
  }

  /** Takes the next octets in order and passes every ULPDU that they complete. */
  void onSegment(long address, int length, long packet) {
    long at = address;
    long end = address + length;
    if (kept.count() > 0) {
      at += complete(at, length, packet);
    }
    while (at < end && !stopped()) {
      int left = (int) (end - at);
      whole.set(at, left);
      // MPA-5.2-01: "MUST identify FPDU boundaries by using the ULPDU_LENGTH field"
      int size = reader.size(whole, position);
      if (size == 0 || size > left) { // MPA-1.2-05, MPAA-4-07, MPAB-2.1-04, MPAB-2.1-08
        // MPA-5.1-09, MPAA-4-01: "MPA receivers MUST NOT depend on FPDU Alignment on TCP segment
        // boundaries". MPAA-5.2-01, MPAA-5.2-03, MPAA-5.2-04; D03-13.2-02: "MUST be at least 140
        // octets long": what is kept is never too small for an FPDU.
        kept.keep(at, left, packet);
        keptSize = size;
        return;
      }
      // Whole FPDUs are passed out of the segment, one (MPAA-4-03) or several (MPAA-4-05), and
      // nothing is kept of them (MPAB-2.1-07, MPAB-2.1-09). ANA-6-02: "MUST support packing at the
      // receiver".
      pass(whole, size);
      at += size;
    }
  }

  /**
   * Whether the octets received end between two FPDUs. A Marker alone, received before its FPDU,
   * counts as between.
   */
  boolean atBoundary() {
    int count = kept.count();
    return count == 0 || (count == Markers.OCTETS && reader.startsWithMarker(kept, position));
  }

  /** Stream position of the next FPDU. */
  long position() {
    return position;
  }

  /** Stream position after the last octet taken. */
  long end() {
    return position + kept.count();
  }

  /**
   * Stream position of the first FPDU of which no octet has been taken, or -1 if the size of the
   * FPDU before it is unknown.
   */
  long nextStart() {
    if (kept.count() == 0) {
      return position;
    }
    return keptSize == 0 ? -1 : position + keptSize;
  }

  /**
   * Number of valid FPDUs passed; one passed early counts once everything before it has been
   * passed.
   */
  long passed() {
    return passed;
  }

  /** Whether {@link #close} has been called. */
  boolean closed() {
    return closed;
  }

  /** The error that ended reception, or null. */
  MpaError error() {
    return error;
  }

  /** The error and its position, for people to read. */
  String detail() {
    return detail;
  }

  /** Describes the incomplete FPDU at the end of the octets taken. */
  String remainder() {
    String size = keptSize == 0 ? "unknown size" : keptSize + " octets";
    return kept.count() + " octets of an FPDU of " + size + " at position " + position;
  }

  /** Releases all packets; nothing more is passed. */
  void close() {
    closed = true;
    kept.clear();
  }

  /** Whether reception has ended, by an error or {@link #close}. */
  boolean stopped() {
    return closed || error != null; // MPA-8-13: "MUST NOT pass or deliver any additional FPDUs"
  }

  /**
   * Continues after FPDUs that were found by Markers and passed early.
   *
   * @param next stream position of the next FPDU
   * @return false if the length fields lead to another position, which is an error
   */
  boolean skip(long next) {
    if (kept.count() > 0) { // MPA-8-07
      fail(
          MpaError.MARKER,
          remainder() + " reach up to position " + end() + ", where FPDUPTR says that one starts");
      return false;
    }
    position = next;
    passed++;
    return true;
  }

  /** Appends to the kept FPDU the octets that belong to it. Returns their number. */
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
    boolean last = kept.count() + part == keptSize;
    if (last && pool.isLong(packet)) {
      kept.append(address + taken, part);
    } else if (part > 0) {
      kept.keep(address + taken, part, packet);
    }
    if (last) { // MPA-6-05, MPAA-4-08, MPAB-2.1-02
      pass(kept, keptSize);
      kept.clear();
      keptSize = 0;
    }
    return taken + part;
  }

  /** Verifies an FPDU and then passes its ULPDU. */
  private void pass(FpduOctets fpdu, int size) {
    // MPA-4.4-16, MPA-6-01: "the receiver MUST first perform the following"; MPAB-2.1-01; DDP-3-07:
    // "a strong digest (at least equivalent to CRC32-C)".
    if (reader.crcWrong(fpdu, size)) {
      // MPA-4.4-17: "the receiver MUST treat the FPDU as an invalid FPDU"; MPA-9.1-01; MPA-8-04:
      // "Received MPA CRC does not match the calculated value". This meets peers that speak no MPA,
      // too: ANA-8.1-06, ANA-8.1-07, ANA-8.1-08, ANA-8.2.1-04.
      fail(MpaError.CRC, reader.crcFault(fpdu, position, size));
      return;
    }
    int wrong = reader.wrongMarker(fpdu, position, size);
    if (wrong != FpduReader.NONE) {
      // MPA-8-05, MPA-8-06, ANA-8.2.1-03
      fail(MpaError.MARKER, reader.markerFault(fpdu, position, wrong));
      return;
    }
    ulpdu.reset(position, false);
    reader.show(fpdu, position, ulpdu);
    // MPA-2-01; MPA-6-02: "can be used to identify the beginning of the next FPDU"
    position += size;
    passed++;
    if (observer != null) {
      observer.onReceived(size, ulpdu);
    }
    // MPA-3-09: "MPA MUST pass each ULPDU with its length to DDP when it has been validated";
    // DDP-3-08: "MUST provide the length of the DDP Segment received"; of any length (MPA-3-06) and
    // content (MPAB-1-02). DDP-3-04; MPA-4.3-15: "MPA Receivers MUST preserve ULPDU boundaries".
    handler.onUlpdu(ulpdu);
  }

  private void fail(MpaError error, String detail) {
    this.error = error;
    this.detail = detail;
    kept.clear();
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(MpaReceiver.class);
    position = snapshot.number("position", position);
    keptSize = snapshot.number("keptSize", keptSize);
    passed = snapshot.number("passed", passed);
    error = snapshot.constantOrNull("error", MpaError.class, error);
    detail = snapshot.text("detail", detail);
    closed = snapshot.flag("closed", closed);
    kept.transfer(snapshot);
    snapshot.end();
  }
}
