package org.rddp.bench.analysis;

import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.tcp.CloseReason;

/** The Responder of a connection: takes ULPDUs, and notes how they lay. */
final class UlpduSink implements UlpduHandler {
  /** Octets of a Request without Private Data: where Full Operation begins. */
  static final int START = 20;

  private static final int INTERVAL = 512;
  private static final int MARKER = 4;
  private static final int OVERHEAD = 6;

  private final MpaConnection mpa;
  private final boolean markers;
  private long ulpdus;
  private long early;
  private long reassembled;
  private long passed;
  private long delivered;

  /** Where the segment lies that is coming; 0 when what waited has its turn. */
  private long segment;

  private long segmentEnd;

  UlpduSink(MpaSettings settings) {
    mpa = MpaConnection.responder(settings, this);
    markers = settings.markers();
  }

  MpaConnection mpa() {
    return mpa;
  }

  /** ULPDUs passed. */
  long ulpdus() {
    return ulpdus;
  }

  /** Those among them that were passed before their turn. */
  long early() {
    return early;
  }

  /** Those among them that were put together from more than one segment. */
  long reassembled() {
    return reassembled;
  }

  /** Octets of the FPDUs passed, Markers included. */
  long passed() {
    return passed;
  }

  /** Stream position before which every ULPDU has had its turn. */
  long delivered() {
    return delivered;
  }

  @Override
  public void onRequest(byte[] privateData) {
    mpa.accept(new byte[0]);
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

  /** A segment is coming. */
  void arriving(long address, int length) {
    segment = address;
    segmentEnd = address + length;
  }

  /** What waited has its turn. */
  void arrived() {
    segment = 0;
  }

  private boolean inSegment(Ulpdu ulpdu) {
    return segment == 0 || (ulpdu.address(0) >= segment && ulpdu.address(0) < segmentEnd);
  }

  /** Within a packet the parts of a ULPDU are no further apart than a Marker. */
  private static boolean inOnePacket(Ulpdu ulpdu) {
    for (int part = 1; part < ulpdu.fragments(); part++) {
      long behind = ulpdu.address(part - 1) + ulpdu.octets(part - 1);
      if (ulpdu.address(part) != behind + MARKER) {
        return false;
      }
    }
    return true;
  }

  /** Octets of stream that the FPDU of a ULPDU takes, which begins so far behind the start. */
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

  @Override
  public void onError(MpaError error, String detail) {
    throw new IllegalStateException(error + ": " + detail);
  }

  @Override
  public void onFullOperation(byte[] privateData) {}

  @Override
  public void onRejected(byte[] privateData) {}

  @Override
  public void onSendable() {}

  @Override
  public void onMulpdu(int mulpdu) {}

  @Override
  public void onPeerClosed() {}

  @Override
  public void onClosed(CloseReason reason) {}
}
