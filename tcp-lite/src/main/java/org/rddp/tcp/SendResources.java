package org.rddp.tcp;

import org.rddp.device.PacketPool;
import org.rddp.tcp.loss.Acknowledgment;
import org.rddp.tcp.loss.LossSettings;
import org.rddp.tcp.loss.SendMemory;

/** What the sending halves of one stack's connections share. */
final class SendResources {
  final SegmentOutput output;
  final PacketPool pool;
  final TcpCounters counters;
  final SendMemory memory;
  final SendTimers timers = new SendTimers();
  final LossSettings loss;
  final CongestionAlgorithm congestion;
  final boolean nagle;
  final Departures departures;

  /** The acknowledgment that is being taken in. */
  final Acknowledgment acknowledgment = new Acknowledgment();

  SendResources(SegmentOutput output, PacketPool pool, TcpCounters counters, TcpSettings settings) {
    this.output = output;
    this.pool = pool;
    this.counters = counters;
    memory = new SendMemory(pool, counters.loss);
    loss =
        new LossSettings(
            settings.initialRetransmission(),
            settings.minimumRetransmission(),
            settings.maximumRetransmission(),
            settings.minimumProbe(),
            settings.peerAcknowledgmentDelay());
    congestion = settings.congestion();
    nagle = settings.nagle();
    departures = new Departures(output, pool, counters);
  }
}
