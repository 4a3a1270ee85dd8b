package org.rddp.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.rddp.mpa.MpaSettings;
import org.rddp.simulation.Network;
import org.rddp.simulation.NetworkEvent;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.SimulatedLink;
import org.rddp.simulation.WireSettings;
import org.rddp.tcp.TcpSettings;

/**
 * Two simulated hosts on one link, and MPA connections from the first to the second. Without TCP
 * timestamps, so that the MTU alone decides EMSS: 1500 gives 1460, 576 gives 536.
 */
final class TwoHosts {
  static final long SECOND = 1_000_000_000L;
  static final long MILLISECOND = 1_000_000L;

  /** No TCP options, and limits that these measurements do not reach. */
  static final TcpSettings TCP =
      TcpSettings.DEFAULTS
          .withTimestamps(false)
          .withConnections(1 << 15)
          .withPeerConnections(1 << 15)
          .withBacklog(1 << 10)
          .withPeerBacklog(1 << 10)
          .withConnectTimeout(3600 * SECOND)
          .withUserTimeout(3600 * SECOND);

  private static final MpaSettings MPA =
      MpaSettings.DEFAULTS.withStartupTimeoutNanos(3600 * SECOND);
  private static final int PORT = 7;

  /** Connections opened at a time: fewer than a listener's backlog. */
  private static final int BATCH = 64;

  private final Network network;
  private final SimulatedHost client;
  private final SimulatedHost server;
  private final SimulatedLink link;
  private final SegmentCounter count;
  private final HighWaterMark waiting = new HighWaterMark();
  private final HighWaterMark keptPackets = new HighWaterMark();
  private final HighWaterMark packets = new HighWaterMark();
  private final List<UlpduSource> sources = new ArrayList<>();
  private final List<UlpduSink> sinks = new ArrayList<>();
  private final List<ReceiveMeter> meters = new ArrayList<>();

  /**
   * Hosts without connections.
   *
   * @param mtu in octets
   * @param pool packets of each host
   * @param wire one direction; the other is the same without loss
   */
  TwoHosts(long seed, int mtu, int pool, TcpSettings settings, WireSettings wire) {
    network = new Network(seed);
    client = new SimulatedHost(network, "10.0.0.1", settings, pool, mtu);
    server = new SimulatedHost(network, "10.0.0.2", settings, pool, mtu);
    link = network.join(client.card(), server.card(), wire.withLoss(0));
    if (wire.loss() > 0) {
      link.forward().settings(wire);
    }
    count = new SegmentCounter(client.address());
    network.addListener(count);
    network.addListener((deed, frame, length, detail) -> {
      if (deed == NetworkEvent.ARRIVED) {
        packets.set(used());
      } else if (deed == NetworkEvent.LOST) {
        link.forward().cut(false);
      }
    });
    server.afterTurn(() -> keptPackets.set(used() - server.card().waiting()));
  }

  private int used() {
    return server.pool().capacity() - server.pool().available();
  }

  /**
   * Opens connections, runs until they are in Full Operation, and resets the counts.
   *
   * @param connections how many
   * @param segmentation how the first host puts FPDUs into segments
   * @param markers whether the second host wants Markers, and takes ULPDUs before their turn
   */
  void open(int connections, Segmentation segmentation, boolean markers) {
    MpaSettings responder = MPA.withMarkers(markers).withEarly(true);
    server
        .stack()
        .listen(
            PORT,
            (stream, address, port) -> {
              UlpduSink sink = new UlpduSink(responder);
              ReceiveMeter meter = new ReceiveMeter(sink, waiting);
              sinks.add(sink);
              meters.add(meter);
              return meter;
            });
    while (sources.size() < connections) {
      int from = sources.size();
      for (int i = Math.min(BATCH, connections - from); i > 0; i--) {
        UlpduSource source = new UlpduSource(MPA, segmentation);
        sources.add(source);
        client.stack().connect(server.address(), PORT, source.handler());
      }
      client.scheduleTurn();
      List<UlpduSource> batch = sources.subList(from, sources.size());
      run(() -> batch.stream().allMatch(UlpduSource::begun));
    }
    run(SECOND);
    count.restart();
    keptPackets.restart();
    packets.restart();
  }

  /** Runs until a condition holds. */
  void run(BooleanSupplier done) {
    if (!network.run(done, network.now() + 36_000 * SECOND)) {
      throw new IllegalStateException("the simulation does not end");
    }
  }

  /** Runs for some virtual time, in ns. */
  void run(long nanos) {
    network.run(() -> false, network.now() + nanos);
  }

  /** Schedules a turn of the first host, whose programs have posted something. */
  void scheduleTurn() {
    client.scheduleTurn();
  }

  /** Loses the next frame that the first host sends. */
  void loseOne() {
    link.forward().cut(true);
  }

  /** Re-segments in both directions, each segment with this probability. */
  void reSegment(double often) {
    link.reSegment(often);
  }

  /** Reduces the link's MTU; senders of larger packets get an ICMP error. */
  void narrow(int mtu) {
    link.reduceMtu(mtu, false);
  }

  /** Segments of which the second host had received at least a part before. */
  long duplicates() {
    return server.stack().counters().duplicates;
  }

  /** Octets received out of order that the second host's user kept, by TCP's counter. */
  long octetsKept() {
    return server.stack().counters().octetsKept;
  }

  /** How long a turn of the second host takes, in nanoseconds. */
  void receiverTurnTakes(long time) {
    server.turnDuration(time);
  }

  UlpduSource source() {
    return sources.getFirst();
  }

  UlpduSink sink() {
    return sinks.getFirst();
  }

  ReceiveMeter meter() {
    return meters.getFirst();
  }

  List<UlpduSource> sources() {
    return sources;
  }

  List<UlpduSink> sinks() {
    return sinks;
  }

  SegmentCounter count() {
    return count;
  }

  /** Octets that waited in all connections for earlier octets. */
  HighWaterMark waiting() {
    return waiting;
  }

  /** Packets in use at the second host after a turn, without its card's ring. */
  HighWaterMark keptPackets() {
    return keptPackets;
  }

  /** Packets in use at the second host, with its card's ring. */
  HighWaterMark packets() {
    return packets;
  }

  /** Resets all connections, and checks that every packet is back in its pool. */
  void close() {
    client.stack().close();
    server.stack().close();
    client.powerOff();
    server.powerOff();
    network.run(() -> false, Long.MAX_VALUE);
    if (client.pool().available() < client.pool().capacity() || used() > 0) {
      throw new IllegalStateException("packets are missing at the end");
    }
  }
}
