package org.rddp.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.rddp.simulation.Network;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.Switch;
import org.rddp.simulation.WireSettings;
import org.rddp.tcp.TcpSettings;

/**
 * Hosts that send to one through a switch, in virtual time: the receiver's cable carries 10 Gb/s,
 * those of the senders more, so that queues are the switch's. Its ports share a buffer of 1 MiB, of
 * which one may take half, and packets are marked beyond 96 KiB of a queue.
 */
final class SwitchRun implements AutoCloseable {
  static final long BUFFER = 1 << 20;
  static final long THRESHOLD = 96 << 10;
  static final long MICROSECOND = 1000;
  private static final long BANDWIDTH = 10_000_000_000L;
  private static final long MILLISECOND = 1000 * MICROSECOND;
  private static final int FIRST_PORT = 1000;
  private static final int PACKETS = 4096;
  private static final int MTU = 1500;

  /** Settings for a data centre. */
  static final TcpSettings DATA_CENTRE =
      TcpSettings.DEFAULTS
          .withMinimumRetransmission(MILLISECOND)
          .withMinimumProbe(MILLISECOND / 2)
          .withPeerAcknowledgmentDelay(MILLISECOND);

  private final Network network = new Network(1);
  private final SplittableRandom random = network.newRandom();
  private final Switch fabric = new Switch(network, BUFFER, THRESHOLD);
  private final TcpSettings settings;
  private final WireSettings cable;
  private final SimulatedHost sink;
  private final Switch.Port port;
  private final List<SimulatedHost> senders = new ArrayList<>();
  private final Histogram times = new Histogram(3);
  private long droppedBefore;
  private long timeoutsBefore;
  private long watchedFrom;

  /**
   * The receiver and the switch.
   *
   * @param cable from each sender to the switch, with half of the delay one way
   */
  SwitchRun(TcpSettings settings, WireSettings cable) {
    this.settings = settings;
    this.cable = cable;
    sink = new SimulatedHost(network, "10.0.0.1", settings, PACKETS, MTU);
    port = fabric.join(sink.card(), BANDWIDTH, cable.delay());
  }

  /** A flow from one more host. */
  MessageFlow add() {
    int index = senders.size();
    SimulatedHost sender =
        new SimulatedHost(network, "10.0.0." + (2 + index), settings, PACKETS, MTU);
    fabric.join(sender.card(), cable);
    sender.turnDuration(500 + random.nextLong(3 * MICROSECOND));
    senders.add(sender);
    return new MessageFlow(network, sender, sink, FIRST_PORT + index, times);
  }

  /** Lets time pass. */
  void pass(long nanos) {
    network.run(() -> false, network.now() + nanos);
  }

  /**
   * Has flows post a message each, within 5 us, and lets time pass until all have arrived.
   *
   * @return how long that took
   */
  long postTogether(List<MessageFlow> flows, int octets) {
    long began = network.now();
    long posted = times.getTotalCount() + flows.size();
    for (MessageFlow flow : flows) {
      long at = began + random.nextLong(5 * MICROSECOND);
      network.events().schedule(at, any -> flow.post(octets), 0);
    }
    if (!network.run(() -> times.getTotalCount() == posted, began + 1000 * MILLISECOND)) {
      throw new IllegalStateException("messages that have not arrived within a second");
    }
    return network.now() - began;
  }

  /** Forgets what was measured until now. */
  void watch() {
    port.watch();
    times.reset();
    droppedBefore = fabric.dropped();
    timeoutsBefore = allTimeouts();
    watchedFrom = network.now();
  }

  /** Times of messages since {@link #watch}, in nanoseconds. */
  Histogram times() {
    return times;
  }

  /** The port to the receiver. */
  Switch.Port port() {
    return port;
  }

  /** Frames dropped by the switch since {@link #watch}. */
  long dropped() {
    return fabric.dropped() - droppedBefore;
  }

  /** Retransmission timeouts since {@link #watch}. */
  long timeouts() {
    return allTimeouts() - timeoutsBefore;
  }

  private long allTimeouts() {
    return senders.stream().mapToLong(each -> each.stack().counters().timeouts).sum();
  }

  /** Gb/s of octets received since {@link #watch}. */
  double gbps(long octets) {
    return 8.0 * octets / (network.now() - watchedFrom);
  }

  @Override
  public void close() {
    senders.forEach(each -> each.stack().close());
    sink.stack().close();
    senders.forEach(SimulatedHost::powerOff);
    sink.powerOff();
  }
}
