package org.rddp.simulation.programs;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;
import org.rddp.ddp.receiving.ReceiveCounters;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RandomSettings;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Scenario;
import org.rddp.simulation.SimulatedConnections;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.UndetectedCorruption;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.TcpConnection;

/**
 * One run of programs on two hosts and their connections from opening to closing, all drawn from a
 * seed.
 */
final class ProgramRun implements Scenario {
  private static final long MILLISECOND = 1_000_000;
  private static final int CHECK_EVERY = 16;

  /** Any number: for the generator that draws which engines fail. */
  private static final long FAILURES = 0x4641_494c_5552_4553L;

  private final HostPair hosts;
  private final RandomSettings choices;
  private final SplittableRandom random;
  private final SourceOctets octets;
  private final Scope scope;
  private final ProgramEventCounts counts = new ProgramEventCounts();
  private final EngineHost client;
  private final EngineHost server;
  private final UndetectedCorruption noise;
  private final SimulatedConnections<SimulatedProgramConnection> conversations =
      new SimulatedConnections<>();
  private int turns;

  ProgramRun(HostPair hosts, Scope scope, Slab slab, SourceOctets octets) {
    slab.clear();
    this.hosts = hosts;
    this.octets = octets;
    this.scope = scope;
    choices = hosts.settings();
    random = hosts.random();
    int window = hosts.client().settings().receiveBuffer();
    int otherWindow = hosts.server().settings().receiveBuffer();
    RdmapTerms terms = RdmapTerms.draw(random, choices);
    client = new EngineHost(hosts, hosts.client(), held(terms.initiator(), window), slab);
    server = new EngineHost(hosts, hosts.server(), held(terms.responder(), otherWindow), slab);
    noise = new UndetectedCorruption(hosts, terms.crc());
    hosts.scheduleFaults();
    populate(client, "client ", slab);
    populate(server, "server ", slab);
    addConnections(terms, slab);
    failures(new SplittableRandom(hosts.seed() ^ FAILURES));
  }

  /** Lets an engine fail, mostly one of several of its host, independently of all other draws. */
  private void failures(SplittableRandom independent) {
    for (EngineHost host : List.of(client, server)) {
      if (independent.nextInt(host.host().stacks().size() > 1 ? 4 : 64) == 0) {
        int engine = independent.nextInt(1 << 16);
        double time = MILLISECOND * Math.pow(1000, independent.nextDouble());
        long at = hosts.network().now() + (long) time;
        hosts.network().events().schedule(at, any -> host.fail(engine, independent.split()), 0);
      }
    }
  }

  /** The engine holds no messages, or all that TCP's window lets come: just these, or more. */
  private RdmapSettings held(RdmapSettings settings, int window) {
    // With Markers segments are placed early, and TCP's window opens for them.
    int least = settings.mpa().markers() ? 2 * window : window;
    int held =
        switch (random.nextInt(3)) {
          case 0 -> 0;
          case 1 -> least;
          default -> 2 * window + (1 << 16);
        };
    return settings.withHeld(held, null);
  }

  private void populate(EngineHost host, String name, Slab slab) {
    int count = choices.oneIn(3) ? 2 + random.nextInt(2) : 1;
    for (int i = 1; i <= count; i++) {
      SimulatedProgram program = new SimulatedProgram(host, name + i, slab, counts);
      if (random.nextInt(3) == 0) {
        program.share(new SharedReceives(program, slab, octets));
        program.shared().begin();
      }
    }
  }

  private void addConnections(RdmapTerms terms, Slab slab) {
    int least = Math.max(client.programs().size(), server.programs().size());
    int count = least + (choices.oneIn(2) ? random.nextInt(3) : 0);
    double requests = choices.logUniform(scope.least(), scope.most());
    double most = Math.min(scope.octets() / hosts.mtu(), requests) / count;
    for (int i = 0; i < count; i++) {
      SimulatedProgramConnection one =
          new SimulatedProgramConnection(
              hosts,
              i,
              random.nextDouble() < scope.plainDdp(),
              terms,
              noise,
              client.programs().get(i % client.programs().size()),
              server.programs().get(i % server.programs().size()),
              plan(most),
              plan(choices.oneIn(4) ? 1 : most),
              slab,
              octets);
      conversations.add(one);
      one.begin();
      long at = hosts.network().now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      hosts.network().events().schedule(at, any -> open(one), 0);
    }
  }

  private Workload plan(double requests) {
    return Workload.draw(random, choices, 1 + (int) (requests * (0.5 + random.nextDouble())));
  }

  private void open(SimulatedProgramConnection conversation) {
    conversations.opens();
    conversation.open();
  }

  @Override
  public void powerFailed(SimulatedHost host) {
    of(host).programs().forEach(SimulatedProgram::gone);
  }

  @Override
  public void powerRestored(SimulatedHost host) {
    of(host).boot();
  }

  @Override
  public void checkAfterHandOver(SimulatedHost host) {
    of(host).programs().forEach(SimulatedProgram::check);
  }

  @Override
  public boolean mayGoOn(SimulatedHost host) {
    return of(host).mayGoOn();
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

  private EngineHost of(SimulatedHost host) {
    return host == hosts.client() ? client : server;
  }

  @Override
  public void checkAfterTurn(SimulatedHost host) {
    List<SimulatedProgram> programs = of(host).programs();
    boolean look = ++turns % CHECK_EVERY == 0;
    for (int i = 0; i < programs.size(); i++) {
      programs.get(i).afterTurn();
      if (look) {
        programs.get(i).check();
      }
    }
    if (!noise.begun() && conversations.allOpened()) {
      settle();
    }
  }

  private void settle() {
    for (int i = 0; i < conversations.all().size(); i++) {
      if (!conversations.all().get(i).isSettled()) {
        return;
      }
    }
    noise.begin();
  }

  @Override
  public SimulatedConnections<?> connections() {
    return conversations;
  }

  @Override
  public boolean isOver() {
    return conversations.isOver() && over(client) && over(server);
  }

  private static boolean over(EngineHost host) {
    for (int i = 0; i < host.programs().size(); i++) {
      if (!host.programs().get(i).over()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public long progress() {
    long sum = conversations.progress() + sum(counters -> counters.segmentsPlaced);
    for (EngineHost host : List.of(client, server)) {
      for (SimulatedProgram program : host.programs()) {
        sum += program.progress();
      }
    }
    return sum;
  }

  @Override
  public void checkAtEnd() {
    for (EngineHost host : List.of(client, server)) {
      host.programs().forEach(SimulatedProgram::judge);
      host.judge();
    }
    if (!octets.intact()) {
      hosts.violations().add("octets that were only sent have changed");
    }
  }

  /** Runs to the end, or to the first violation. */
  void run() {
    hosts.run(this);
  }

  private long sum(ToLongFunction<ReceiveCounters> counter) {
    long sum = 0;
    for (EngineHost host : List.of(client, server)) {
      for (ReceiveCounters counters : host.counters()) {
        sum += counter.applyAsLong(counters);
      }
    }
    return sum;
  }

  /** Adds the counts of this run. */
  void addTo(RunTotals totals) {
    long placed = sum(counters -> counters.segmentsPlaced);
    totals.addRun(placed);
    totals.add("segments placed", placed);
    totals.add("placed out of order", sum(counters -> counters.segmentsPlacedEarly));
    totals.add("held for want of a receive or a notice", sum(counters -> counters.segmentsHeld));
    totals.add("refused", sum(counters -> counters.segmentsRefused));
    hosts.addOptionsTo(totals);
    totals.add("with tenants", client.hasTenants() ? 1 : 0);
    totals.add("engines that began anew", client.restarts() + server.restarts());
    counts.addTo(totals, scope.plainDdp() > 0);
    hosts.addTo(totals);
  }

  /** The rule that was violated, or null. */
  String violation() {
    return hosts.violations().first();
  }
}
