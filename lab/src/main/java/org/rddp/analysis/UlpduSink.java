package org.rddp.analysis;

import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Ulpdu;

/** The Responder of a connection: receives ULPDUs, and counts how they lay in segments. */
final class UlpduSink extends UlpduAdapter {
  /** Octets of a Request without Private Data: where Full Operation begins. */
  static final int START = 20;

  private static final int INTERVAL = 512;
  private static final int MARKER = 4;
  private static final int OVERHEAD = 6;

  private final MpaStartup startup;
  private final boolean markers;
  private long ulpdus;
  private long early;
  private long reassembled;
  private long passed;
  private long delivered;

  /** Address of the segment that TCP hands up; 0 between two of them. */
  private long segment;

  private long segmentEnd;

  UlpduSink(MpaSettings settings) {
    startup = MpaStartup.responder(settings, this, this);
    markers = settings.markers();
  }

  MpaStartup startup() {
    return startup;
  }

  long ulpdus() {
    return ulpdus;
  }

  /** ULPDUs among them that were passed out of order. */
  long early() {
    return early;
  }

  /** ULPDUs among them that were put together from more than one segment. */
  long reassembled() {
    return reassembled;
  }

  /** Octets of the FPDUs passed, Markers included. */
  long passed() {
    return passed;
  }

  /** Stream position before which every ULPDU has been delivered. */
  long delivered() {
    return delivered;
  }

  @Override
  public void onUlpdu(Ulpdu ulpdu) {
    int span = span(ulpdu.position() - START, ulpdu.length());
    ulpdus++;
    passed += span;
    if (!inOnePacket(ulpdu) || !inSegment(ulpdu)) {
      reassembled++;
    }
    if (ulpdu.early()) {
      early++;
    } else {
      delivered(ulpdu.position() + span);
    }
  }

  @Override
  public void onDelivered(long position) {
    delivered(position);
  }

  private void delivered(long position) {
    if (position <= delivered) {
      throw new IllegalStateException("delivered to " + position + " after " + delivered);
    }
    delivered = position;
  }

  void beginSegment(long address, int length) {
    segment = address;
    segmentEnd = address + length;
  }

  void endSegment() {
    segment = 0;
  }

  private boolean inSegment(Ulpdu ulpdu) {
    return segment == 0 || (ulpdu.address(0) >= segment && ulpdu.address(0) < segmentEnd);
  }

  /** Within a packet two parts of a ULPDU are a Marker apart. */
  private static boolean inOnePacket(Ulpdu ulpdu) {
    for (int part = 1; part < ulpdu.fragments(); part++) {
      long behind = ulpdu.address(part - 1) + ulpdu.octets(part - 1);
      if (ulpdu.address(part) != behind + MARKER) {
        return false;
      }
    }
    return true;
  }

  /** Octets of the stream, Markers included, of an FPDU that begins at an offset from the start. */
  private int span(long offset, int length) {
    int left = OVERHEAD + length + (-(2 + length) & 3);
    if (!markers) {
      return left;
    }
    long at = offset;
    while (left > 0) {
      if (at % INTERVAL == 0) {
        at += MARKER;
      }
      int part = (int) Math.min(left, INTERVAL - at % INTERVAL);
      at += part;
      left -= part;
    }
    return (int) (at - offset);
  }
}
