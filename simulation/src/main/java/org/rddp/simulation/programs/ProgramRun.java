package org.rddp.simulation.programs;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.rddp.ddp.receiving.ReceiveCounters;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RandomSettings;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Scenario;
import org.rddp.simulation.SimulatedConnections;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.UndetectedCorruption;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;
import org.rddp.simulation.rdma.RdmapTerms;

/** Programs on two hosts and their connections from beginning to end: everything from a seed. */
final class ProgramRun implements Scenario {
  private static final long MILLISECOND = 1_000_000;
  private static final int CHECK_EVERY = 16;
  private static final double MOST_OCTETS = 1.5e6;

  private final HostPair world;
  private final RandomSettings lots;
  private final SplittableRandom random;
  private final SourceOctets octets;
  private final ProgramEventCounts counts = new ProgramEventCounts();
  private final EngineHost client;
  private final EngineHost server;
  private final UndetectedCorruption noise;
  private final SimulatedConnections<SimulatedProgramConnection> conversations =
      new SimulatedConnections<>();
  private int turns;

  /** The life of a seed. */
  ProgramRun(long seed, BufferCache shelf, Consumer<String> lines, Slab slab, SourceOctets octets) {
    world = new HostPair(seed, shelf, lines);
    this.octets = octets;
    lots = world.settings();
    random = world.random();
    int window = world.client().settings().receiveBuffer();
    int otherWindow = world.server().settings().receiveBuffer();
    RdmapTerms terms = RdmapTerms.draw(random, lots, window, otherWindow);
    client = new EngineHost(world, world.client(), held(terms.initiator(), window));
    server = new EngineHost(world, world.server(), held(terms.responder(), otherWindow));
    noise = new UndetectedCorruption(world, terms.crc());
    world.scheduleFaults();
    populate(client, "client ", slab);
    populate(server, "server ", slab);
    connections(terms, slab);
  }

  /** All that may come without a receive is kept, or nothing. */
  private RdmapSettings held(RdmapSettings settings, int window) {
    return settings.withHeldOctets(random.nextInt(3) == 0 ? 0 : 2 * window + (1 << 16));
  }

  private void populate(EngineHost host, String name, Slab slab) {
    int count = lots.oneIn(3) ? 2 + random.nextInt(2) : 1;
    for (int i = 1; i <= count; i++) {
      SimulatedProgram program = new SimulatedProgram(host, name + i, counts);
      if (random.nextInt(3) == 0) {
        program.share(new SharedReceives(program, slab, octets));
        program.shared().begin();
      }
    }
  }

  private void connections(RdmapTerms terms, Slab slab) {
    int least = Math.max(client.programs().size(), server.programs().size());
    int count = least + (lots.oneIn(2) ? random.nextInt(3) : 0);
    double most = Math.min(MOST_OCTETS / world.mtu(), lots.logUniform(100, 800)) / count;
    for (int i = 0; i < count; i++) {
      SimulatedProgramConnection one =
          new SimulatedProgramConnection(
              world,
              i,
              random.nextInt(10) < 3,
              terms,
              noise,
              client.programs().get(i % client.programs().size()),
              server.programs().get(i % server.programs().size()),
              plan(most),
              plan(lots.oneIn(4) ? 1 : most),
              slab,
              octets);
      conversations.add(one);
      one.begin();
      long at = world.network().now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      world.network().events().schedule(at, any -> open(one), 0);
    }
  }

  private Workload plan(double requests) {
    return Workload.draw(random, lots, 1 + (int) (requests * (0.5 + random.nextDouble())));
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

  private EngineHost of(SimulatedHost host) {
    return host == world.client() ? client : server;
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
  public void supervise(long now) {
    conversations.supervise(now);
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
    long sum = conversations.progress() + sum(ReceiveCounters::segmentsPlaced);
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
      world.violations().add("octets that were only sent have changed");
    }
  }

  /** Lives to the end, or to the first violation. */
  void run() {
    world.run(this);
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

  /** Adds what has happened to the totals. */
  void addTo(RunTotals totals) {
    long placed = sum(ReceiveCounters::segmentsPlaced);
    totals.addRun(placed);
    totals.add("segments placed", placed);
    totals.add("placed out of order", sum(ReceiveCounters::segmentsPlacedEarly));
    totals.add("held for want of a receive or a notice", sum(ReceiveCounters::segmentsHeld));
    totals.add("refused", sum(ReceiveCounters::segmentsRefused));
    counts.addTo(totals);
    world.addTo(totals);
  }

  /** What was violated, or null. */
  String violation() {
    return world.violations().first();
  }
}
