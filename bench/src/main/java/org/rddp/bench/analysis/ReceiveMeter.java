package org.rddp.bench.analysis;

import org.rddp.tcp.TcpStream;

/** Stands between TCP and a {@link UlpduSink}: what comes in, and what of it has to wait. */
final class ReceiveMeter extends DelegatingStreamHandler {
  private final UlpduSink sink;
  private final HighWaterMark waiting;
  private TcpStream stream;
  private long taken;
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
    super(sink.mpa());
    this.sink = sink;
    this.waiting = waiting;
  }

  /** Segments with FPDUs in them. */
  long segments() {
    return segments;
  }

  /**
   * Those among them of which every octet was passed as they came, and nothing else: so they began
   * and ended with an FPDU.
   */
  long passedWhole() {
    return passedWhole;
  }

  /** Those among them that came before their turn. */
  long early() {
    return early;
  }

  /** Octets of segments that had to be kept beyond the moment that they came. */
  long kept() {
    return kept;
  }

  /** The most ULPDUs that were passed as one segment came. */
  long mostInOne() {
    return mostInOne;
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    super.onOpen(opened);
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    if (position < UlpduSink.START) {
      super.onSegment(position, address, length, packet);
      return;
    }
    boolean inTurn = position <= stream.receivePosition();
    long before = taken - sink.passed();
    long passed = sink.passed();
    long ulpdus = sink.ulpdus();
    taken += length;
    sink.arriving(address, length);
    super.onSegment(position, address, length, packet);
    sink.arrived();
    segments++;
    early += inTurn ? 0 : 1;
    passedWhole += before == 0 && sink.passed() - passed == length ? 1 : 0;
    mostInOne = Math.max(mostInOne, sink.ulpdus() - ulpdus);
    kept += stream.pool().shared(packet) ? length : 0;
    waiting.add(taken - sink.passed() - before);
    check();
  }

  private void check() {
    if (sink.delivered() > stream.receivePosition()) {
      throw new IllegalStateException(
          "delivered to " + sink.delivered() + ", a gap is at " + stream.receivePosition());
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
