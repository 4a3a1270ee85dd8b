package org.rddp.daemon.engine;

import org.rddp.client.types.CompletionStatus;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.device.CaptureSink;
import org.rddp.ipc.ring.TraceEvent;
import org.rddp.mpa.FpduObserver;
import org.rddp.mpa.Ulpdu;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpTimer;
import org.rddp.tcp.TcpTraceHandler;
import org.rddp.wire.Memory;

/**
 * Writes the events of one connection as {@link TraceEvent}s, without the program's data. Engine
 * thread only; allocates nothing per event.
 */
final class ConnectionTrace implements TcpTraceHandler, FpduObserver {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final CaptureSink sink;
  private final TraceEvent event = new TraceEvent();

  /** Added to the clock of the events, gives nanoseconds since 1970. */
  private final long epoch = System.currentTimeMillis() * NANOS_PER_MILLI - System.nanoTime();

  /** Creates a trace into a sink, each of whose frames is an event. */
  ConnectionTrace(CaptureSink sink) {
    this.sink = sink;
  }

  private void write() {
    sink.offer(System.nanoTime() + epoch, event.address(), event.length());
  }

  @Override
  public void onSending(Segment segment) {
    onSegment(TraceEvent.SEGMENT_SENT, segment);
  }

  @Override
  public void onReceived(Segment segment) {
    onSegment(TraceEvent.SEGMENT_RECEIVED, segment);
  }

  private void onSegment(int kind, Segment segment) {
    event
        .begin(kind, segment.octets)
        .add(segment.position)
        .add(segment.acknowledged)
        .add(segment.again ? 1 : 0)
        .add(segment.windowShift);
    long header = event.header(segment.headerLength);
    Memory.copy(segment.header, header, segment.headerLength);
    write();
  }

  @Override
  public void onState(State state) {
    event
        .begin(TraceEvent.STATE, state.loss.code())
        .add(state.una)
        .add(state.next)
        .add(state.congestionWindow)
        .add(state.slowStartThreshold)
        .add(state.roundTrip)
        .add(state.roundTripVariation)
        .add(state.retransmissionTimeout)
        .add(state.sendWindow);
    write();
  }

  @Override
  public void onExpired(TcpTimer timer) {
    event.begin(TraceEvent.TIMER, timer.code());
    write();
  }

  @Override
  public void onClosed(CloseReason reason) {
    event.begin(TraceEvent.CLOSED, reason.code());
    write();
  }

  @Override
  public void onSent(long position, int octets, long head, int headLength, int ulpduLength) {
    event.begin(TraceEvent.FPDU_SENT, octets).add(position).add(ulpduLength).add(0);
    int kept = Math.min(headLength, ddpHeaderLength(Memory.getByte(head)));
    Memory.copy(head, event.header(kept), kept);
    write();
  }

  @Override
  public void onReceived(int octets, Ulpdu ulpdu) {
    event
        .begin(TraceEvent.FPDU_RECEIVED, octets)
        .add(ulpdu.position())
        .add(ulpdu.length())
        .add(ulpdu.early() ? 1 : 0);
    int kept = ulpdu.length() == 0 ? 0 : ddpHeaderLength(DdpHeader.control(ulpdu));
    kept = Math.min(kept, ulpdu.length());
    ulpdu.copy(0, event.header(kept), kept);
    write();
  }

  private static int ddpHeaderLength(int control) {
    return DdpHeader.tagged(control) ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
  }

  /** Writes that a work request was taken from the program's ring. */
  void onTaken(int opcode, long id, long octets) {
    event.begin(TraceEvent.REQUEST_TAKEN, opcode).add(id).add(octets).add(0);
    write();
  }

  /**
   * Writes that a work request has completed.
   *
   * @param octets of its message, 0 if it failed
   */
  void onCompleted(int opcode, long id, long octets, CompletionStatus status) {
    event.begin(TraceEvent.REQUEST_COMPLETED, opcode).add(id).add(octets).add(status.code());
    write();
  }
}
