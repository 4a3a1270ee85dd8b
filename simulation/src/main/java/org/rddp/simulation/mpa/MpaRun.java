package org.rddp.simulation.mpa;

import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.rddp.ip.Ipv4Address;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RandomSettings;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Scenario;
import org.rddp.simulation.SimulatedConnections;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.SimulatedWire;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** Connections of MPA between two hosts from opening to closing: everything drawn from a seed. */
final class MpaRun implements Scenario {
  private static final long MILLISECOND = 1_000_000;

  private static final double MOST_OCTETS = 4e6;
  private static final int LISTENING = 7;

  private final HostPair world;
  private final RandomSettings lots;
  private final SplittableRandom random;
  private final SimulatedConnections<SimulatedMpaConnection> conversations =
      new SimulatedConnections<>();
  private boolean clientDied;

  /**
   * The life of a seed.
   *
   * @param buffer address of memory for the longest ULPDU
   */
  MpaRun(long seed, BufferCache shelf, Consumer<String> lines, long buffer) {
    world = new HostPair(seed, shelf, lines);
    lots = world.settings();
    random = world.random();
    listen();
    spoil(world.link().forward());
    spoil(world.link().backward());
    world.scheduleFaults();
    connections(buffer);
  }

  /** What TCP cannot notice ends a half connection: not too early in most lives. */
  private void spoil(SimulatedWire wire) {
    double often = lots.oneIn(2) ? 0 : lots.logUniform(0.0003, 0.02);
    wire.settings(wire.settings().withCorruptUnseen(often));
  }

  private void listen() {
    world.server().stack().listen(LISTENING, this::accept);
  }

  private StreamHandler accept(TcpStream stream, Ipv4Address address, int port) {
    SimulatedMpaConnection conversation = conversations.of(port, world.violations());
    return conversation == null || conversation.server().done()
        ? null
        : conversation.server().handler();
  }

  /** Opens one connection, or several, shortly after one another. */
  private void connections(long buffer) {
    int count = lots.oneIn(4) ? 2 + random.nextInt(4) : 1;
    double most = MOST_OCTETS / world.mtu();
    int each = (int) Math.max(1, Math.min(lots.logUniform(300, 3000), most) / count);
    for (int i = 0; i < count; i++) {
      int there = share(each);
      int back = lots.oneIn(4) ? 1 : share(each);
      SimulatedMpaConnection conversation = new SimulatedMpaConnection(world, there, back, buffer);
      conversations.add(conversation);
      long at = world.network().now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      world.network().events().schedule(at, any -> open(conversation), 0);
    }
  }

  private int share(int ulpdus) {
    return 1 + ulpdus / 2 + random.nextInt(ulpdus);
  }

  /** Ends whose host has lost power before do not exist. */
  private void open(SimulatedMpaConnection conversation) {
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
    conversations.all().forEach(one -> (isClient ? one.client() : one.server()).die());
  }

  @Override
  public void powerRestored(SimulatedHost host) {
    if (host == world.server()) {
      listen();
    }
  }

  @Override
  public void checkAfterTurn(SimulatedHost host) {}

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
    return conversations.progress();
  }

  @Override
  public void checkAtEnd() {
    conversations.all().forEach(SimulatedMpaConnection::judge);
  }

  /** Lives to the end, or to the first violation. */
  void run() {
    world.run(this);
    for (SimulatedMpaConnection one : conversations.all()) {
      world.trace(one.client() + "; " + one.server());
    }
  }

  /** Adds what has happened to the totals. */
  void addTo(RunTotals totals) {
    long passed = 0;
    for (SimulatedMpaConnection one : conversations.all()) {
      passed += one.passed();
      one.addTo(totals);
    }
    totals.addRun(passed);
    world.addTo(totals);
    totals.add("dropped silently", world.sum(counters -> counters.refused));
  }

  /** What was violated, or null. */
  String violation() {
    return world.violations().first();
  }
}
