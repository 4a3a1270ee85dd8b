package org.rddp.mpa;

import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.storage.EarlySegments;
import org.rddp.tcp.storage.RangeSet;

/**
 * Finds FPDUs in octets received out of order, verifies them and passes their ULPDUs at once (RFC
 * 5044 section 6, rules 2 and 3, and appendix A.4).
 *
 * <p>A Marker is at a known position and points back to the start of its FPDU; from one valid FPDU
 * the next are found by their length fields. Octets of unknown or incomplete FPDUs are retained
 * until neighbouring octets arrive or the gap before them is filled; a packet is released when the
 * FPDUs in it have been passed.
 *
 * <p>An invalid FPDU is no error here, since the Marker that led to it may be wrong. It is kept,
 * and {@link MpaReceiver} reports the error when it reaches the FPDU in order. An FPDU that the
 * user declines is kept in the same way.
 */
final class EarlyFpdus {
  private static final long NONE = -1;

  /** More octets than any FPDU with its Markers has. */
  private static final int BEYOND_ANY_FPDU = 1 << 17;

  private final UlpduHandler handler;
  private final PacketPool pool;
  private final FpduReader reader;
  private final EarlySegments segments;
  private final RangeSet passed = new RangeSet(0);
  private final FpduOctets fpdu;
  private final Ulpdu ulpdu = new Ulpdu();
  private FpduObserver observer;
  private long runStart;
  private long runEnd;
  private boolean closed;

  EarlyFpdus(UlpduHandler handler, PacketPool pool, FpduReader reader) {
    this.handler = handler;
    this.pool = pool;
    this.reader = reader;
    segments = new EarlySegments(pool);
    fpdu = new FpduOctets(pool);
  }

  /** Takes octets received out of order and passes every ULPDU that they complete. */
  void take(long position, long address, int length, long packet) {
    segments.hold(position, address, length, packet);
    findRun(position);
    boolean known = passed.hasEndAt(runStart);
    // MPA-6-04: "can find following contiguous FPDUs by using the ULPDU Length fields"
    long from = known ? chain(runStart) : runStart;
    findByMarkers(from, known ? from : NONE, position, position + length);
  }

  /** Finds the run of contiguous octets around a position. */
  private void findRun(long position) {
    int middle = segments.indexAfter(position);
    int first = middle;
    while (first > 0 && segments.end(first - 1) == segments.position(first)) {
      first--;
    }
    int last = middle;
    while (last + 1 < segments.size() && segments.end(last) == segments.position(last + 1)) {
      last++;
    }
    runStart = segments.position(first);
    runEnd = segments.end(last);
  }

  /**
   * Passes FPDUs that Markers point to. Skips those without new octets, which were tried before.
   *
   * @param from earliest stream position at which an FPDU may start
   * @param hopeless position of an FPDU that has just failed, or {@link #NONE}
   * @param newStart stream position of the first new octet
   * @param newEnd stream position after the last new octet
   */
  private void findByMarkers(long from, long hopeless, long newStart, long newEnd) {
    long bound = Math.max(from, newStart - BEYOND_ANY_FPDU);
    long tried = hopeless;
    long marker = markerFrom(bound);
    while (!closed && marker + Markers.OCTETS <= runEnd) {
      long start = startOfFpduWith(marker);
      if (start >= newEnd) {
        return;
      }
      // MPAA-4-02, MPAA-4-11, MPAB-2.1-05; MPA-6-03: "a Marker can always be used to locate the
      // beginning of an FPDU"
      if (start >= bound && start != tried && endOf(start) > newStart) {
        tried = start;
        bound = chain(start);
      }
      marker = markerFrom(Math.max(bound, marker + Markers.OCTETS));
    }
  }

  /** Stream position of the first Marker at or after a position. */
  private long markerFrom(long position) {
    long offset = position - reader.start();
    return Markers.at(offset) ? position : position + Markers.distance(offset);
  }

  /** Start of the FPDU that a Marker belongs to, including the FPDU's leading Marker. */
  private long startOfFpduWith(long marker) {
    fill(marker, Markers.OCTETS);
    int pointer = fpdu.getInt(0) & Markers.POINTER_MASK;
    // MPA-4.3-05: "subtracting the value of the given Marker"; MPA-4.3-06: "the TCP sequence number
    // could have wrapped"
    long header = marker - pointer;
    // MPA-4.3-09: "immediately following the Marker is an FPDU header"
    return reader.markerAt(header - Markers.OCTETS) ? header - Markers.OCTETS : header;
  }

  /** End of an FPDU; {@link Long#MAX_VALUE} if its length field has not been received. */
  private long endOf(long start) {
    fill(start, reader.headerOctets(start));
    int size = reader.size(fpdu, start);
    return size == 0 ? Long.MAX_VALUE : start + size;
  }

  /**
   * Passes the FPDU at a position and those after it, as long as they are complete and valid.
   *
   * @return the position after the last one passed
   */
  private long chain(long position) {
    long at = position;
    while (!closed) {
      long end = endOf(at);
      // MPAA-4-06, MPAA-4-09, MPAA-4-10; MPA-6-05: "MUST be used to determine if the entire FPDU is
      // present"
      if (end > runEnd || !passes(at, (int) (end - at))) {
        return at;
      }
      at = end;
    }
    return at;
  }

  private boolean passes(long position, int size) {
    fill(position, size);
    if (reader.wrong(fpdu, position, size)) { // MPA-6-01
      return false;
    }
    // MPA-3-11; MPA-1.2-01: "MUST support a mechanism to indicate the ordering of ULPDUs";
    // DDP-3-06: "what the sender-specified order was"
    ulpdu.reset(position, true);
    reader.show(fpdu, position, ulpdu);
    if (!handler.onEarlyUlpdu(ulpdu) || closed) { // MPA-3-10, MPAA-3-01, MPAA-4-04, DDP-3-05
      return false;
    }
    if (observer != null) {
      observer.onReceived(size, ulpdu);
    }
    passed.add(position, position + size);
    segments.discard(position, position + size); // MPAA-5-03, MPAB-2.1-09
    return true;
  }

  /** Sets the observer of the FPDUs from now on; null for none. */
  void observe(FpduObserver next) {
    observer = next;
  }

  /** Collects up to {@code octets} contiguous octets from a position on. */
  private void fill(long position, int octets) {
    int index = segments.indexAfter(position);
    fpdu.clear();
    int wanted = (int) Math.min(octets, runEnd - position);
    long at = position;
    while (wanted > 0) {
      int skip = (int) (at - segments.position(index));
      int part = Math.min(wanted, segments.length(index) - skip);
      fpdu.append(segments.address(index) + skip, part);
      at += part;
      wanted -= part;
      index++;
    }
  }

  /**
   * Hands the octets before an edge to the receiver in order, and lets it skip the FPDUs passed
   * early.
   *
   * @param edge stream position before which everything has been received
   */
  void handOver(long edge, MpaReceiver receiver) {
    while (!closed && !receiver.stopped() && receiver.end() < edge) {
      if (!passed.isEmpty() && passed.start(0) == receiver.end()) {
        long end = passed.end(0);
        passed.removeFirst();
        if (receiver.skip(end)) {
          // MPA-3-12: "a mechanism to indicate when a given ULPDU (and prior ULPDUs) are complete
          // (Delivered to DDP)"; MPA-1.2-01, MPAA-3-07, MPAB-1-04; D03-5.1.2-04: "to establish the
          // Delivery semantics"; MPA-2-01: "the order of Delivery is strictly defined".
          handler.onDelivered(end);
        }
      } else {
        handOverFirst(receiver);
      }
    }
  }

  private void handOverFirst(MpaReceiver receiver) {
    long address = segments.address(0);
    int length = segments.length(0);
    long packet = segments.packet(0);
    segments.removeFirst();
    try {
      receiver.onSegment(address, length, packet);
    } finally {
      pool.release(packet);
    }
  }

  /** Releases all packets; nothing more is passed. */
  void close() {
    closed = true;
    segments.clear();
    passed.clear();
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(EarlyFpdus.class);
    segments.transfer(snapshot);
    passed.transfer(snapshot);
    closed = snapshot.flag("closed", closed);
    snapshot.end();
  }
}
