package org.rddp.simulation.sockets;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.rddp.mpa.MpaSettings;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RandomSettings;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Scenario;
import org.rddp.simulation.SimulatedConnections;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.UndetectedCorruption;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.TcpConnection;

/** One run of octet streams between two hosts from opening to closing, all drawn from a seed. */
final class StreamRun implements Scenario {
  private static final long MILLISECOND = 1_000_000;
  private static final long STARTUP = 600_000_000_000L;
  private static final long PATIENT = 300_000_000_000L;

  /** Segments of all streams together, about. */
  private static final double LEAST = 30;

  private static final double MOST = 400;
  private static final double MOST_OCTETS = 200_000;

  private final HostPair hosts;
  private final RandomSettings choices;
  private final SplittableRandom random;
  private final boolean compared;
  private final boolean bridges;
  private final StreamHost client;
  private final StreamHost server;
  private final UndetectedCorruption noise;
  private final int listeners;
  private final long acceptDelay;
  private final SimulatedConnections<SimulatedStream> streams = new SimulatedConnections<>();
  private boolean failed;
  private boolean accepts;

  /**
   * Draws a run.
   *
   * @param compared whether the run must be the same if its hosts go on in new engines: it has no
   *     bridges, whose sockets say again what they have said when they are watched anew
   */
  StreamRun(HostPair hosts, boolean compared) {
    this.hosts = hosts;
    this.compared = compared;
    choices = hosts.settings();
    random = hosts.random();
    bridges = !compared && choices.oneIn(2);
    listeners = 1 + random.nextInt(2);
    acceptDelay = (long) choices.logUniform(1000, 200 * MILLISECOND);
    List<StreamHost.ListenerPlan> plans = new ArrayList<>();
    for (int i = 0; i < listeners; i++) {
      plans.add(new StreamHost.ListenerPlan(i, choices.oneIn(3) ? random.nextInt(2) : 16));
    }
    RdmapSettings settings = draw();
    client = new StreamHost(hosts, hosts.client(), settings, List.of());
    server = new StreamHost(hosts, hosts.server(), settings, plans);
    noise = new UndetectedCorruption(hosts, settings.mpa().crc());
    hosts.scheduleFaults();
    addStreams();
  }

  private RdmapSettings draw() {
    MpaSettings mpa =
        MpaSettings.DEFAULTS
            .withCrc(!choices.oneIn(4))
            .withMarkers(random.nextBoolean())
            .withPacking(choices.oneIn(3))
            .withPermissive(random.nextBoolean())
            .withStartupTimeoutNanos(STARTUP);
    return new RdmapSettings(mpa, 16, 16, 1, 1);
  }

  private void addStreams() {
    int count = 1 + random.nextInt(choices.oneIn(2) ? 8 : 2);
    double segments = choices.logUniform(LEAST, MOST);
    long octets = (long) Math.min(segments * (hosts.mtu() - 52), MOST_OCTETS) / count;
    for (int i = 0; i < count; i++) {
      long timeout =
          choices.oneIn(8) ? (long) choices.logUniform(MILLISECOND, 1000 * MILLISECOND) : PATIENT;
      SimulatedStream one =
          new SimulatedStream(
              client,
              server,
              i,
              plan(octets),
              plan(choices.oneIn(4) ? 0 : octets),
              timeout,
              choices.oneIn(6) ? 1 + random.nextInt(2) : 0);
      streams.add(one);
      long at = hosts.network().now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      hosts.network().events().schedule(at, any -> open(one), 0);
    }
  }

  private StreamEnd.Plan plan(long octets) {
    StreamEnd.Manner manner =
        switch (random.nextInt(8)) {
          case 0 -> StreamEnd.Manner.RESETS;
          case 1 -> StreamEnd.Manner.CLOSES;
          default -> StreamEnd.Manner.ORDERLY;
        };
    long own = octets == 0 ? 0 : random.nextLong(2 * octets);
    return new StreamEnd.Plan(
        own,
        manner,
        bridges && random.nextInt(3) == 0 ? random.nextLong(own + 1) : -1,
        1 << random.nextInt(6, 15),
        1 + (long) choices.logUniform(1000, 2 * MILLISECOND));
  }

  private void open(SimulatedStream stream) {
    streams.opens();
    stream.open();
  }

  private StreamHost of(SimulatedHost host) {
    return host == hosts.client() ? client : server;
  }

  // ---- The hosts ----

  @Override
  public void powerFailed(SimulatedHost host) {
    failed = true;
    of(host).fail();
    streams.all().forEach(each -> each.powerFailed(of(host)));
  }

  @Override
  public void powerRestored(SimulatedHost host) {
    of(host).boot();
  }

  @Override
  public boolean mayGoOn(SimulatedHost host) {
    return !compared || of(host).keeper().isIdle();
  }

  @Override
  public void write(
      SimulatedHost host, int stack, SnapshotWriter snapshot, List<TcpConnection> former) {
    of(host).write(stack, snapshot, former);
  }

  @Override
  public void read(
      SimulatedHost host,
      int stack,
      SnapshotReader snapshot,
      List<TcpConnection> former,
      List<TcpConnection> next) {
    of(host).read(stack, snapshot, next);
  }

  @Override
  public void checkAfterTurn(SimulatedHost host) {
    of(host).look();
    if (host == hosts.server() && !accepts && server.keeper().hasOffers()) {
      accepts = true;
      long at = hosts.network().now() + random.nextLong(acceptDelay);
      hosts.network().events().schedule(at, any -> accept(), 0);
    }
    if (!noise.begun() && streams.allOpened() && server.keeper().isIdle() && !failed) {
      noise.begin();
    }
  }

  @Override
  public void checkAfterHandOver(SimulatedHost host) {
    of(host).look();
  }

  /** A program accepts a stream at each listener. */
  private void accept() {
    accepts = false;
    for (int i = 0; i < listeners; i++) {
      SimulatedKeeper.Holding holding = server.keeper().accept(i);
      if (holding != null) {
        int number = SimulatedStream.number(holding.remotePort());
        streams.all().get(number).accepted(holding);
      }
    }
  }

  // ---- The end ----

  @Override
  public SimulatedConnections<?> connections() {
    return streams;
  }

  @Override
  public boolean isOver() {
    return streams.isOver() && client.keeper().isEmpty() && server.keeper().isEmpty();
  }

  @Override
  public void checkAtEnd() {
    boolean timedOut = hosts.sum(counters -> counters.timedOut) > 0;
    boolean disturbed = failed || timedOut || noise.begun();
    streams.all().forEach(each -> each.judge(disturbed));
    client.judge();
    server.judge();
  }

  /** Runs to the end, or to the first violation. */
  void run() {
    hosts.run(this);
    client.close();
    server.close();
  }

  /** Adds the counts of this run. */
  void addTo(RunTotals totals) {
    long read = streams.all().stream().mapToLong(SimulatedStream::read).sum();
    totals.addRun(read);
    totals.add("octets read", read);
    totals.add("streams", streams.all().size());
    totals.add("streams with everything at both ends", count(SimulatedStream::isComplete));
    totals.add("streams with a bridge", count(SimulatedStream::hasBridge));
    totals.add(
        "streams offered again", streams.all().stream().mapToLong(SimulatedStream::passed).sum());
    hosts.addTo(totals);
    hosts.addOptionsTo(totals);
  }

  private long count(Predicate<SimulatedStream> which) {
    return streams.all().stream().filter(which).count();
  }

  /** The rule that was violated, or null. */
  String violation() {
    return hosts.violations().first();
  }
}
