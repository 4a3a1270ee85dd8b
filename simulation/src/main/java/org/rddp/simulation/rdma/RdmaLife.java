package org.rddp.simulation.rdma;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.rddp.ddp.DdpCounters;
import org.rddp.ddp.DdpEngine;
import org.rddp.ip.Ipv4Address;
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
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** Streams between two hosts from opening to closing: everything drawn from a seed. */
final class RdmaLife implements Inhabitants {
  private static final long MILLISECOND = 1_000_000;

  private static final double MOST_OCTETS = 4e6;
  private static final int LISTENING = 7;

  private final World world;
  private final Lots lots;
  private final SplittableRandom random;
  private final SourceOctets octets;
  private final Counts counts = new Counts();
  private final Machine client;
  private final Machine server;
  private final Noise noise;
  private final LivingConnections<Conversation> conversations = new LivingConnections<>();
  private boolean clientDied;

  /** The life of a seed. */
  RdmaLife(long seed, Shelf shelf, Consumer<String> lines, Slab slab, SourceOctets octets) {
    world = new World(seed, shelf, lines);
    this.octets = octets;
    lots = world.lots();
    random = world.random();
    client = new Machine(world, world.client(), (int) lots.scale(4, 512));
    server = new Machine(world, world.server(), (int) lots.scale(4, 512));
    listen();
    int count = lots.once(4) ? 2 + random.nextInt(4) : 1;
    List<Terms> terms = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int window = world.client().settings().receiveBuffer();
      terms.add(Terms.draw(random, lots, window, world.server().settings().receiveBuffer()));
    }
    noise = new Noise(world, terms.stream().allMatch(Terms::crc));
    world.misfortunes();
    connections(terms, slab);
  }

  private void listen() {
    world.server().stack().listen(LISTENING, this::accept);
  }

  private StreamHandler accept(TcpStream stream, Ipv4Address address, int port) {
    Conversation conversation = conversations.of(port, world.verdict());
    return conversation == null || conversation.server().done()
        ? null
        : conversation.server().begin().transport();
  }

  /** Opens one connection, or several, shortly after one another. */
  private void connections(List<Terms> terms, Slab slab) {
    double most = MOST_OCTETS / world.mtu();
    double each = Math.max(1, Math.min(lots.scale(300, 2500), most) / terms.size());
    for (Terms one : terms) {
      Plan there = plan(each, one.initiator().heldOctets() > 0);
      Plan back = plan(lots.once(4) ? 1 : each, one.responder().heldOctets() > 0);
      Conversation conversation =
          new Conversation(world, client, server, one, there, back, slab, octets, counts, noise);
      conversations.add(conversation);
      boolean first = conversations.all().size() == 1;
      long at = world.network().now() + (first ? 0 : random.nextLong(100 * MILLISECOND));
      world.network().agenda().at(at, any -> open(conversation), 0);
    }
  }

  private Plan plan(double segments, boolean holds) {
    return Plan.draw(random, lots, segments * (0.5 + random.nextDouble()), holds);
  }

  /** Ends whose host has lost power before do not exist. */
  private void open(Conversation conversation) {
    conversations.opens();
    if (world.client().off() || clientDied) {
      conversation.client().die();
      conversation.server().die();
      return;
    }
    conversation.open(LISTENING);
  }

  @Override
  public void died(Host host) {
    boolean isClient = host == world.client();
    clientDied |= isClient;
    (isClient ? client : server).ends().forEach(Endpoint::die);
  }

  @Override
  public void revived(Host host) {
    if (host == world.server()) {
      server.boot();
      listen();
    } else {
      client.boot();
    }
  }

  @Override
  public void check(Host host) {
    List<Endpoint> ends = host == world.client() ? client.ends() : server.ends();
    for (int i = 0; i < ends.size(); i++) {
      ends.get(i).check();
    }
    if (!noise.begun() && conversations.allOpened()) {
      settle();
    }
  }

  private void settle() {
    for (int i = 0; i < conversations.all().size(); i++) {
      if (!conversations.all().get(i).settled()) {
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
    return conversations.over();
  }

  @Override
  public long progress() {
    return conversations.progress() + sum(DdpCounters::segmentsPlaced);
  }

  @Override
  public void judge() {
    for (Conversation one : conversations.all()) {
      one.client().judge();
      one.server().judge();
    }
    for (Machine machine : List.of(client, server)) {
      machine.ends().forEach(Endpoint::tidy);
      if (!machine.host().off() && machine.ddp().taggedBuffers().size() > 0) {
        world.verdict().violated("STags are left behind");
      }
    }
    if (!octets.intact()) {
      world.verdict().violated("octets that were only sent have changed");
    }
  }

  /** Lives to the end, or to the first violation. */
  void live() {
    world.live(this);
    if (world.traced()) {
      for (Conversation one : conversations.all()) {
        world.say(one.client() + "; " + one.server());
      }
    }
  }

  private long sum(ToLongFunction<DdpCounters> counter) {
    long sum = 0;
    for (Machine machine : List.of(client, server)) {
      for (DdpEngine engine : machine.engines()) {
        sum += counter.applyAsLong(engine.counters());
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
    totals.add("held for want of a receive", sum(DdpCounters::segmentsHeld));
    totals.add("refused", sum(DdpCounters::segmentsRefused));
    totals.add("dropped behind a refused one", sum(DdpCounters::segmentsDropped));
    counts.addTo(totals);
    world.addTo(totals);
  }

  /** What was violated, or null. */
  String violation() {
    return world.verdict().violation();
  }
}
