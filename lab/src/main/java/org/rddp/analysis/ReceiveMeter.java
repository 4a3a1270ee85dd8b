package org.rddp.analysis;

import org.rddp.simulation.RelayedStream;

/** Stands between TCP and a {@link UlpduSink}: counts segments, and octets that have to wait. */
final class ReceiveMeter extends RelayedStream {
  private final UlpduSink sink;
  private final HighWaterMark waiting;
  private long received;
  private long segments;
  private long passedWhole;
  private long early;
  private long kept;
  private long mostInOne;

  /**
   * A meter.
   *
   * @param waiting octets that wait in all connections; this one's are added
   */
  ReceiveMeter(UlpduSink sink, HighWaterMark waiting) {
    super(sink.startup());
    this.sink = sink;
    this.waiting = waiting;
  }

  /** Segments with FPDUs in them. */
  long segments() {
    return segments;
  }

  /** Segments among them that began and ended with an FPDU and were passed at once. */
  long passedWhole() {
    return passedWhole;
  }

  /** Segments that arrived out of order. */
  long early() {
    return early;
  }

  /** Octets of segments that were kept after their arrival. */
  long kept() {
    return kept;
  }

  /** The most ULPDUs that one segment's arrival passed. */
  long mostInOne() {
    return mostInOne;
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    if (position < UlpduSink.START) {
      super.onSegment(position, address, length, packet);
      return;
    }
    boolean inOrder = position <= receivePosition();
    long before = received - sink.passed();
    long passed = sink.passed();
    long ulpdus = sink.ulpdus();
    received += length;
    sink.beginSegment(address, length);
    super.onSegment(position, address, length, packet);
    sink.endSegment();
    segments++;
    early += inOrder ? 0 : 1;
    passedWhole += before == 0 && sink.passed() - passed == length ? 1 : 0;
    mostInOne = Math.max(mostInOne, sink.ulpdus() - ulpdus);
    kept += pool().shared(packet) ? length : 0;
    waiting.add(received - sink.passed() - before);
    check();
  }

  private void check() {
    if (sink.delivered() > receivePosition()) {
      throw new IllegalStateException(
          "delivered to " + sink.delivered() + ", a gap is at " + receivePosition());
    }
  }

  @Override
  public void onLeftEdge(long position) {
    long before = sink.passed();
    super.onLeftEdge(position);
    waiting.add(before - sink.passed());
    check();
  }
}
