package org.rddp.tcp;

import org.rddp.device.PacketPool;
import org.rddp.tcp.loss.Acknowledgment;
import org.rddp.tcp.loss.FlightPool;
import org.rddp.tcp.loss.LossSettings;

/** What the sending halves of one stack's connections share. */
final class StackContext {
  final SegmentOutput output;
  final PacketPool pool;
  final TcpCounters counters;
  final FlightPool memory;
  final SendTimerPool timers = new SendTimerPool();
  final LossSettings loss;
  final CongestionAlgorithm congestion;
  final boolean nagle;
  final SegmentTransmitter departures;

  /** The acknowledgment that is being taken in. */
  final Acknowledgment acknowledgment = new Acknowledgment();

  StackContext(SegmentOutput output, PacketPool pool, TcpCounters counters, TcpSettings settings) {
    this.output = output;
    this.pool = pool;
    this.counters = counters;
    memory = new FlightPool(pool, counters.loss);
    loss =
        new LossSettings(
            settings.initialRetransmission(),
            settings.minimumRetransmission(),
            settings.maximumRetransmission(),
            settings.minimumProbe(),
            settings.peerAcknowledgmentDelay());
    congestion = settings.congestion();
    nagle = settings.nagle();
    departures = new SegmentTransmitter(output, pool, counters);
  }
}
