package org.rddp.simulation.rdma;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.receiving.ReceiveCounters;
import org.rddp.ip.Ipv4Address;
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
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** Streams between two hosts from opening to closing: everything drawn from a seed. */
final class RdmapRun implements Scenario {
  private static final long MILLISECOND = 1_000_000;

  private static final double MOST_OCTETS = 4e6;
  private static final int LISTENING = 7;

  private final HostPair world;
  private final RandomSettings lots;
  private final SplittableRandom random;
  private final SourceOctets octets;
  private final RdmapEventCounts counts = new RdmapEventCounts();
  private final RdmapHost client;
  private final RdmapHost server;
  private final UndetectedCorruption noise;
  private final SimulatedConnections<SimulatedRdmapConnection> conversations =
      new SimulatedConnections<>();
  private boolean clientDied;

  /** The life of a seed. */
  RdmapRun(long seed, BufferCache shelf, Consumer<String> lines, Slab slab, SourceOctets octets) {
    world = new HostPair(seed, shelf, lines);
    this.octets = octets;
    lots = world.settings();
    random = world.random();
    client = new RdmapHost(world, world.client(), (int) lots.logUniform(4, 512));
    server = new RdmapHost(world, world.server(), (int) lots.logUniform(4, 512));
    listen();
    int count = lots.oneIn(4) ? 2 + random.nextInt(4) : 1;
    List<RdmapTerms> terms = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int window = world.client().settings().receiveBuffer();
      terms.add(RdmapTerms.draw(random, lots, window, world.server().settings().receiveBuffer()));
    }
    noise = new UndetectedCorruption(world, terms.stream().allMatch(RdmapTerms::crc));
    world.scheduleFaults();
    connections(terms, slab);
  }

  private void listen() {
    world.server().stack().listen(LISTENING, this::accept);
  }

  private StreamHandler accept(TcpStream stream, Ipv4Address address, int port) {
    SimulatedRdmapConnection conversation = conversations.of(port, world.violations());
    return conversation == null || conversation.server().done()
        ? null
        : conversation.server().begin().transport();
  }

  /** Opens one connection, or several, shortly after one another. */
  private void connections(List<RdmapTerms> terms, Slab slab) {
    double most = MOST_OCTETS / world.mtu();
    double each = Math.max(1, Math.min(lots.logUniform(300, 2500), most) / terms.size());
    for (RdmapTerms one : terms) {
      RdmapPlan there = plan(each, one.initiator().heldOctets() > 0);
      RdmapPlan back = plan(lots.oneIn(4) ? 1 : each, one.responder().heldOctets() > 0);
      SimulatedRdmapConnection conversation =
          new SimulatedRdmapConnection(
              world, client, server, one, there, back, slab, octets, counts, noise);
      conversations.add(conversation);
      boolean first = conversations.all().size() == 1;
      long at = world.network().now() + (first ? 0 : random.nextLong(100 * MILLISECOND));
      world.network().events().schedule(at, any -> open(conversation), 0);
    }
  }

  private RdmapPlan plan(double segments, boolean holds) {
    return RdmapPlan.draw(random, lots, segments * (0.5 + random.nextDouble()), holds);
  }

  /** Ends whose host has lost power before do not exist. */
  private void open(SimulatedRdmapConnection conversation) {
    conversations.opens();
    if (world.client().isOff() || clientDied) {
      conversation.client().die();
      conversation.server().die();
      return;
    }
    conversation.open(LISTENING);
  }

  @Override
  public void powerFailed(SimulatedHost host) {
    boolean isClient = host == world.client();
    clientDied |= isClient;
    (isClient ? client : server).ends().forEach(StreamEndpoint::die);
  }

  @Override
  public void powerRestored(SimulatedHost host) {
    if (host == world.server()) {
      server.boot();
      listen();
    } else {
      client.boot();
    }
  }

  @Override
  public void checkAfterTurn(SimulatedHost host) {
    List<StreamEndpoint> ends = host == world.client() ? client.ends() : server.ends();
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
  public boolean isOver() {
    return conversations.isOver();
  }

  @Override
  public long progress() {
    return conversations.progress() + sum(ReceiveCounters::segmentsPlaced);
  }

  @Override
  public void checkAtEnd() {
    for (SimulatedRdmapConnection one : conversations.all()) {
      one.client().judge();
      one.server().judge();
    }
    for (RdmapHost machine : List.of(client, server)) {
      machine.ends().forEach(StreamEndpoint::tidy);
      if (!machine.host().isOff() && machine.ddp().taggedBuffers().size() > 0) {
        world.violations().add("STags are left behind");
      }
    }
    if (!octets.intact()) {
      world.violations().add("octets that were only sent have changed");
    }
  }

  /** Lives to the end, or to the first violation. */
  void run() {
    world.run(this);
    if (world.isTraced()) {
      for (SimulatedRdmapConnection one : conversations.all()) {
        world.trace(one.client() + "; " + one.server());
      }
    }
  }

  private long sum(ToLongFunction<ReceiveCounters> counter) {
    long sum = 0;
    for (RdmapHost machine : List.of(client, server)) {
      for (DdpEngine engine : machine.engines()) {
        sum += counter.applyAsLong(engine.receiveCounters());
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
    totals.add("held for want of a receive", sum(ReceiveCounters::segmentsHeld));
    totals.add("refused", sum(ReceiveCounters::segmentsRefused));
    totals.add("dropped behind a refused one", sum(ReceiveCounters::segmentsDropped));
    counts.addTo(totals);
    world.addTo(totals);
  }

  /** What was violated, or null. */
  String violation() {
    return world.violations().first();
  }
}
