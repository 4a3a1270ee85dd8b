package org.rddp.bench.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.rddp.mpa.MpaSettings;
import org.rddp.simulation.Deed;
import org.rddp.simulation.Host;
import org.rddp.simulation.Link;
import org.rddp.simulation.Network;
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
  private final Host client;
  private final Host server;
  private final Link link;
  private final WireCount count;
  private final Gauge waiting = new Gauge();
  private final Gauge keptPackets = new Gauge();
  private final Gauge packets = new Gauge();
  private final List<Source> sources = new ArrayList<>();
  private final List<Sink> sinks = new ArrayList<>();
  private final List<Meter> meters = new ArrayList<>();

  /**
   * Hosts without connections.
   *
   * @param mtu in octets
   * @param pool packets of each host
   * @param wire one direction; the other is the same without loss
   */
  TwoHosts(long seed, int mtu, int pool, TcpSettings settings, WireSettings wire) {
    network = new Network(seed);
    client = new Host(network, "10.0.0.1", settings, pool, mtu);
    server = new Host(network, "10.0.0.2", settings, pool, mtu);
    link = network.join(client.card(), server.card(), wire.withLoss(0));
    if (wire.loss() > 0) {
      link.there().settings(wire);
    }
    count = new WireCount(client.address());
    network.watch(count);
    network.watch((deed, frame, length, detail) -> {
      if (deed == Deed.ARRIVED) {
        packets.set(used());
      } else if (deed == Deed.LOST) {
        link.there().cut(false);
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
  void open(int connections, Sending sending, boolean markers) {
    MpaSettings responder = MPA.withMarkers(markers).withEarly(true);
    server
        .stack()
        .listen(
            PORT,
            (stream, address, port) -> {
              Sink sink = new Sink(responder);
              Meter meter = new Meter(sink, waiting);
              sinks.add(sink);
              meters.add(meter);
              return meter;
            });
    while (sources.size() < connections) {
      int from = sources.size();
      for (int i = Math.min(BATCH, connections - from); i > 0; i--) {
        Source source = new Source(MPA, sending);
        sources.add(source);
        client.stack().connect(server.address(), PORT, source.handler());
      }
      client.poke();
      List<Source> batch = sources.subList(from, sources.size());
      run(() -> batch.stream().allMatch(Source::begun));
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
    client.poke();
  }

  /** The next frame that the first host sends is lost. */
  void loseOne() {
    link.there().cut(true);
  }

  /** Re-segments what goes either way, with such a chance for each segment. */
  void reSegment(double often) {
    link.reSegment(often);
  }

  /** The link takes no larger packets from now on, and tells senders. */
  void narrow(int mtu) {
    link.narrow(mtu, false);
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
    server.turnTakes(time);
  }

  List<Source> sources() {
    return sources;
  }

  List<Sink> sinks() {
    return sinks;
  }

  List<Meter> meters() {
    return meters;
  }

  WireCount count() {
    return count;
  }

  /** Octets that MPA or TCP's user had to keep until others came. */
  Gauge waiting() {
    return waiting;
  }

  /** Packets of the second host that were in use between its turns, but for its card's ring. */
  Gauge keptPackets() {
    return keptPackets;
  }

  /** Packets of the second host that were in use, its card's ring included. */
  Gauge packets() {
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
