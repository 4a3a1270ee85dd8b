package org.rddp.bench.analysis;

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
 * Two hosts on one wire under virtual time, and MPA connections from the first to the second. No
 * timestamps, so that the MTU decides about EMSS: 1500 gives 1460, 576 gives 536.
 */
final class TwoHosts {
  static final long SECOND = 1_000_000_000L;
  static final long MILLISECOND = 1_000_000L;

  /** No TCP options and no limits that these measurements would meet. */
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

  /** Opened at a time: fewer than a listener's backlog. */
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
   * Opens connections and lets them come to Full Operation, before anything is gauged.
   *
   * @param connections how many
   * @param sending how the first host puts FPDUs into segments
   * @param markers whether the second host wants Markers, and takes ULPDUs before their turn
   */
  void open(int connections, Segmentation sending, boolean markers) {
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
        UlpduSource source = new UlpduSource(MPA, sending);
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

  /** Lets things happen until something is so. */
  void run(BooleanSupplier done) {
    if (!network.run(done, network.now() + 36_000 * SECOND)) {
      throw new IllegalStateException("the simulation does not come to an end");
    }
  }

  /** Lets things happen for a while. */
  void run(long nanos) {
    network.run(() -> false, network.now() + nanos);
  }

  /** Lets the first host have a turn, as its programs have asked for something. */
  void poke() {
    client.scheduleTurn();
  }

  /** The next frame that the first host sends is lost. */
  void loseOne() {
    link.forward().cut(true);
  }

  /** Re-segments what goes either way, with such a chance for each segment. */
  void reSegment(double often) {
    link.reSegment(often);
  }

  /** The link takes no larger packets from now on, and tells senders. */
  void narrow(int mtu) {
    link.reduceMtu(mtu, false);
  }

  /** Segments, or parts of them, that reached the second host twice. */
  long duplicates() {
    return server.stack().counters().duplicates;
  }

  /** Octets that TCP saw the second host's user keep until their turn. */
  long octetsKept() {
    return server.stack().counters().octetsKept;
  }

  /** How long a turn of the second host takes, in nanoseconds. */
  void receiverTurnTakes(long time) {
    server.turnDuration(time);
  }

  List<UlpduSource> sources() {
    return sources;
  }

  List<UlpduSink> sinks() {
    return sinks;
  }

  List<ReceiveMeter> meters() {
    return meters;
  }

  SegmentCounter count() {
    return count;
  }

  /** Octets that MPA or TCP's user had to keep until others came. */
  HighWaterMark waiting() {
    return waiting;
  }

  /** Packets of the second host that were in use between its turns, but for its card's ring. */
  HighWaterMark keptPackets() {
    return keptPackets;
  }

  /** Packets of the second host that were in use, its card's ring included. */
  HighWaterMark packets() {
    return packets;
  }

  /** Resets all connections and sees that every packet is back. */
  void close() {
    client.stack().close();
    server.stack().close();
    client.powerOff();
    server.powerOff();
    network.run(() -> false, Long.MAX_VALUE);
    if (client.pool().available() < client.pool().capacity() || used() > 0) {
      throw new IllegalStateException("packets are missing in the end");
    }
  }
}
