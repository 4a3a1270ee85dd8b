package org.rddp.tcp;

import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/** Passes the events of one connection to a {@link TcpTraceHandler}. */
final class TcpTrace {
  private final TcpConnection traced;
  private final TcpTraceHandler handler;
  private final TcpTraceHandler.Segment segment = new TcpTraceHandler.Segment();
  private final TcpTraceHandler.State state = new TcpTraceHandler.State();

  TcpTrace(TcpConnection traced, TcpTraceHandler handler) {
    this.traced = traced;
    this.handler = handler;
    changed();
    handler.onState(state);
  }

  /** Traces a segment before it is sent. */
  void sending(TcpConnection connection, long header, int length) {
    if (connection != traced) {
      return;
    }
    processed(connection);
    show(header, length);
    Sender sender = connection.sender;
    segment.position = sent(Tcp.sequence(header));
    segment.acknowledged = Math.max(connection.receiver.next(), 0);
    int flags = Tcp.flags(header);
    boolean syn = (flags & Tcp.SYN) != 0;
    boolean occupies = segment.octets > 0 || (flags & Tcp.FIN) != 0;
    segment.again = syn ? connection.synRepeats > 0 : occupies && segment.position < sender.max();
    segment.windowShift = syn ? 0 : connection.receiver.windowShift();
    handler.onSending(segment);
  }

  /** Traces a segment before it is processed. */
  void received(TcpConnection connection, TcpSegment arrived) {
    if (connection != traced) {
      return;
    }
    show(arrived.header, Tcp.headerLength(arrived.header) + arrived.length);
    boolean syn = arrived.has(Tcp.SYN);
    segment.position = syn ? -1 : connection.receiver.position(arrived.sequence);
    segment.acknowledged = arrived.has(Tcp.ACK) ? Math.max(sent(arrived.acknowledgment), 0) : 0;
    segment.again = false;
    segment.windowShift = syn ? 0 : connection.sender.windowShift();
    handler.onReceived(segment);
  }

  private void show(long header, int length) {
    segment.header = header;
    segment.headerLength = Tcp.headerLength(header);
    segment.octets = length - segment.headerLength;
  }

  /** The stream position of a sequence number of ours. */
  private long sent(int sequence) {
    long una = traced.sender.una();
    return una + SequenceNumber.distance(traced.sender.sequence(una), sequence);
  }

  /** Traces an expired timer. */
  void expired(TcpConnection connection, TcpTimer timer) {
    if (connection == traced) {
      handler.onExpired(timer);
    }
  }

  /** Traces the sender's state if it has changed. */
  void processed(TcpConnection connection) {
    if (connection == traced && changed()) {
      handler.onState(state);
    }
  }

  /** Takes the sender's state; returns whether anything but SND.NXT has changed. */
  private boolean changed() {
    Sender sender = traced.sender;
    boolean same =
        state.una == sender.una()
            && state.congestionWindow == sender.congestion.window()
            && state.slowStartThreshold == sender.congestion.threshold()
            && state.roundTrip == sender.timeout.smoothed()
            && state.roundTripVariation == sender.timeout.variation()
            && state.retransmissionTimeout == sender.timeout.current()
            && state.sendWindow == sender.peerWindow()
            && state.loss == sender.lossState();
    state.una = sender.una();
    state.next = sender.max();
    state.congestionWindow = sender.congestion.window();
    state.slowStartThreshold = sender.congestion.threshold();
    state.roundTrip = sender.timeout.smoothed();
    state.roundTripVariation = sender.timeout.variation();
    state.retransmissionTimeout = sender.timeout.current();
    state.sendWindow = sender.peerWindow();
    state.loss = sender.lossState();
    return !same;
  }

  /** Traces the end of the connection. */
  void closed(TcpConnection connection, CloseReason reason) {
    if (connection == traced) {
      handler.onClosed(reason);
    }
  }
}
