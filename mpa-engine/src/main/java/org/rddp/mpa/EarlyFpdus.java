package org.rddp.mpa;

import org.rddp.device.PacketPool;
import org.rddp.tcp.storage.EarlySegments;
import org.rddp.tcp.storage.RangeSet;

/**
 * Finds FPDUs in octets that came before their turn, verifies them and passes their ULPDUs at once
 * (RFC 5044 section 6, rules 2 and 3, and appendix A.4).
 *
 * <p>A Marker lies at a known place and points back to the FPDU that it is in; from one FPDU that
 * is right the next are found by their lengths. What cannot be placed so, or is not there whole,
 * waits by reference for its neighbours or for its turn; a packet is released when the FPDUs in it
 * have been passed.
 *
 * <p>An FPDU that is not right is no error here: it may be that a Marker has led astray. It waits,
 * and when its turn comes the chain of lengths tells what is wrong. So does one that the user
 * declines.
 */
final class EarlyFpdus {
  private static final long NONE = -1;

  /** More octets than any FPDU takes with its Markers: what lies so far apart is unrelated. */
  private static final int BEYOND_ANY_FPDU = 1 << 17;

  private final UlpduHandler handler;
  private final PacketPool pool;
  private final FpduReader reader;
  private final EarlySegments segments;
  private final RangeSet passed = new RangeSet(0);
  private final FpduOctets fpdu;
  private final Ulpdu ulpdu = new Ulpdu();
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

  /** Takes octets before their turn, and passes every ULPDU that is complete with them. */
  void take(long position, long address, int length, long packet) {
    segments.hold(position, address, length, packet);
    findRun(position);
    boolean known = passed.hasEndAt(runStart);
    long from = known ? chain(runStart) : runStart;
    findByMarkers(from, known ? from : NONE, position, position + length);
  }

  /** Looks how far what is there reaches in both directions from a position. */
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
   * Passes FPDUs that Markers lead to. Those without any of the new octets have been tried before.
   *
   * @param from stream position where the first FPDU may start
   * @param hopeless where one starts that has just been tried, or {@link #NONE}
   * @param newStart stream position of the first new octet
   * @param newEnd stream position behind the last
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
      if (start >= bound && start != tried && endOf(start) > newStart) {
        tried = start;
        bound = chain(start);
      }
      marker = markerFrom(Math.max(bound, marker + Markers.OCTETS));
    }
  }

  /** Stream position of the first Marker that is not before a position. */
  private long markerFrom(long position) {
    long offset = position - reader.start();
    return Markers.at(offset) ? position : position + Markers.distance(offset);
  }

  /** Where the FPDU starts that a Marker is in, its own leading Marker included. */
  private long startOfFpduWith(long marker) {
    fill(marker, Markers.OCTETS);
    int pointer = fpdu.getInt(0) & Markers.POINTER_MASK;
    long header = marker - pointer;
    return reader.markerAt(header - Markers.OCTETS) ? header - Markers.OCTETS : header;
  }

  /** Where an FPDU ends, as far as can be seen: beyond what is there if it is not whole. */
  private long endOf(long start) {
    fill(start, reader.headerOctets(start));
    int size = reader.size(fpdu, start);
    return size == 0 ? Long.MAX_VALUE : start + size;
  }

  /**
   * Passes the FPDU that starts at a position and those that follow it, while they are there and
   * right.
   *
   * @return the position behind the last one passed
   */
  private long chain(long position) {
    long at = position;
    while (!closed) {
      long end = endOf(at);
      if (end > runEnd || !passes(at, (int) (end - at))) {
        return at;
      }
      at = end;
    }
    return at;
  }

  private boolean passes(long position, int size) {
    fill(position, size);
    if (reader.wrong(fpdu, position, size)) {
      return false;
    }
    ulpdu.reset(position, true);
    reader.show(fpdu, position, ulpdu);
    if (!handler.onEarlyUlpdu(ulpdu) || closed) {
      return false;
    }
    passed.add(position, position + size);
    segments.discard(position, position + size);
    return true;
  }

  /** Shows as many of the octets from a position on as there are in a row. */
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
   * The turn of octets has come: the receiver takes what waits, and goes on behind what has been
   * passed.
   *
   * @param edge stream position before which nothing is missing
   */
  void handOver(long edge, MpaReceiver receiver) {
    while (!closed && !receiver.stopped() && receiver.end() < edge) {
      if (!passed.isEmpty() && passed.start(0) == receiver.end()) {
        long end = passed.end(0);
        passed.removeFirst();
        if (receiver.skip(end)) {
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

  /** Gives every packet back; nothing more is passed. */
  void close() {
    closed = true;
    segments.clear();
    passed.clear();
  }
}
