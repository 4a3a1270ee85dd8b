package org.rddp.daemon.simulation;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.rddp.ddp.DdpCounters;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.Host;
import org.rddp.simulation.Inhabitants;
import org.rddp.simulation.LivingConnections;
import org.rddp.simulation.Lots;
import org.rddp.simulation.Noise;
import org.rddp.simulation.Shelf;
import org.rddp.simulation.Totals;
import org.rddp.simulation.World;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;
import org.rddp.simulation.rdma.Terms;

/** Programs on two hosts and their connections from beginning to end: everything from a seed. */
final class ProgramLife implements Inhabitants {
  private static final long MILLISECOND = 1_000_000;
  private static final int CHECK_EVERY = 16;
  private static final double MOST_OCTETS = 1.5e6;

  private final World world;
  private final Lots lots;
  private final SplittableRandom random;
  private final SourceOctets octets;
  private final Counts counts = new Counts();
  private final EngineHost client;
  private final EngineHost server;
  private final Noise noise;
  private final LivingConnections<Conversation> conversations = new LivingConnections<>();
  private int turns;

  /** The life of a seed. */
  ProgramLife(long seed, Shelf shelf, Consumer<String> lines, Slab slab, SourceOctets octets) {
    world = new World(seed, shelf, lines);
    this.octets = octets;
    lots = world.lots();
    random = world.random();
    int window = world.client().settings().receiveBuffer();
    int otherWindow = world.server().settings().receiveBuffer();
    Terms terms = Terms.draw(random, lots, window, otherWindow);
    client = new EngineHost(world, world.client(), held(terms.initiator(), window));
    server = new EngineHost(world, world.server(), held(terms.responder(), otherWindow));
    noise = new Noise(world, terms.crc());
    world.misfortunes();
    populate(client, "client ", slab);
    populate(server, "server ", slab);
    connections(terms, slab);
  }

  /** All that may come without a receive is kept, or nothing. */
  private RdmapSettings held(RdmapSettings settings, int window) {
    return settings.withHeldOctets(random.nextInt(3) == 0 ? 0 : 2 * window + (1 << 16));
  }

  private void populate(EngineHost host, String name, Slab slab) {
    int count = lots.once(3) ? 2 + random.nextInt(2) : 1;
    for (int i = 1; i <= count; i++) {
      Program program = new Program(host, name + i, counts);
      if (random.nextInt(3) == 0) {
        program.share(new SharedReceives(program, slab, octets));
        program.shared().begin();
      }
    }
  }

  private void connections(Terms terms, Slab slab) {
    int least = Math.max(client.programs().size(), server.programs().size());
    int count = least + (lots.once(2) ? random.nextInt(3) : 0);
    double most = Math.min(MOST_OCTETS / world.mtu(), lots.scale(100, 800)) / count;
    for (int i = 0; i < count; i++) {
      Conversation one =
          new Conversation(
              world,
              i,
              random.nextInt(10) < 3,
              terms,
              noise,
              client.programs().get(i % client.programs().size()),
              server.programs().get(i % server.programs().size()),
              plan(most),
              plan(lots.once(4) ? 1 : most),
              slab,
              octets);
      conversations.add(one);
      one.begin();
      long at = world.network().now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      world.network().agenda().at(at, any -> open(one), 0);
    }
  }

  private Plan plan(double requests) {
    return Plan.draw(random, lots, 1 + (int) (requests * (0.5 + random.nextDouble())));
  }

  private void open(Conversation conversation) {
    conversations.opens();
    conversation.open();
  }

  @Override
  public void died(Host host) {
    of(host).programs().forEach(Program::gone);
  }

  @Override
  public void revived(Host host) {
    of(host).boot();
  }

  private EngineHost of(Host host) {
    return host == world.client() ? client : server;
  }

  @Override
  public void check(Host host) {
    List<Program> programs = of(host).programs();
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
  public boolean over() {
    return conversations.over() && over(client) && over(server);
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
    long sum = conversations.progress() + sum(DdpCounters::segmentsPlaced);
    for (EngineHost host : List.of(client, server)) {
      for (Program program : host.programs()) {
        sum += program.progress();
      }
    }
    return sum;
  }

  @Override
  public void judge() {
    for (EngineHost host : List.of(client, server)) {
      host.programs().forEach(Program::judge);
      host.judge();
    }
    if (!octets.intact()) {
      world.verdict().violated("octets that were only sent have changed");
    }
  }

  /** Lives to the end, or to the first violation. */
  void live() {
    world.live(this);
  }

  private long sum(ToLongFunction<DdpCounters> counter) {
    long sum = 0;
    for (EngineHost host : List.of(client, server)) {
      for (DdpCounters counters : host.counters()) {
        sum += counter.applyAsLong(counters);
      }
    }
    return sum;
  }

  /** Adds what has happened to the totals. */
  void addTo(Totals totals) {
    long placed = sum(DdpCounters::segmentsPlaced);
    totals.addLife(placed);
    totals.add("segments placed", placed);
    totals.add("placed out of order", sum(DdpCounters::segmentsPlacedEarly));
    totals.add("held for want of a receive or a notice", sum(DdpCounters::segmentsHeld));
    totals.add("refused", sum(DdpCounters::segmentsRefused));
    counts.addTo(totals);
    world.addTo(totals);
  }

  /** What was violated, or null. */
  String violation() {
    return world.verdict().violation();
  }
}
