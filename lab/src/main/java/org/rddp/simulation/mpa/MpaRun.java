package org.rddp.simulation.mpa;

import java.util.SplittableRandom;
import org.rddp.ip.HostAddress;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RandomSettings;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Scenario;
import org.rddp.simulation.SimulatedConnections;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.SimulatedWire;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpStream;

/** One run of MPA: connections between two hosts from opening to closing, all drawn from a seed. */
final class MpaRun implements Scenario {
  private static final long MILLISECOND = 1_000_000;

  private static final double MOST_OCTETS = 4e6;
  private static final int LISTENING = 7;

  private final HostPair hosts;
  private final RandomSettings choices;
  private final SplittableRandom random;
  private final SimulatedConnections<SimulatedMpaConnection> connections =
      new SimulatedConnections<>();
  private boolean clientDied;

  /**
   * Draws a run.
   *
   * @param buffer address of memory for the longest ULPDU
   */
  MpaRun(HostPair hosts, long buffer) {
    this.hosts = hosts;
    choices = hosts.settings();
    random = hosts.random();
    listen();
    spoil(hosts.link().forward());
    spoil(hosts.link().backward());
    hosts.scheduleFaults();
    addConnections(buffer);
  }

  /**
   * Adds corruption that TCP cannot detect. It ends a half connection, in most runs not too early.
   */
  private void spoil(SimulatedWire wire) {
    double often = choices.oneIn(2) ? 0 : choices.logUniform(0.0003, 0.02);
    wire.settings(wire.settings().withCorruptUnseen(often));
  }

  private void listen() {
    hosts.server().listen(LISTENING, this::accept);
  }

  private StreamHandler accept(TcpStream stream, HostAddress address, int port) {
    SimulatedMpaConnection conversation = connections.of(port, hosts.violations());
    return conversation == null || conversation.server().done()
        ? null
        : conversation.server().handler();
  }

  /** Opens one connection, or several, shortly after one another. */
  private void addConnections(long buffer) {
    int count = choices.oneIn(4) ? 2 + random.nextInt(4) : 1;
    double most = MOST_OCTETS / hosts.mtu();
    int each = (int) Math.max(1, Math.min(choices.logUniform(300, 3000), most) / count);
    for (int i = 0; i < count; i++) {
      int there = share(each);
      int back = choices.oneIn(4) ? 1 : share(each);
      SimulatedMpaConnection conversation = new SimulatedMpaConnection(hosts, there, back, buffer);
      connections.add(conversation);
      long at = hosts.network().now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      hosts.network().events().schedule(at, any -> open(conversation), 0);
    }
  }

  private int share(int ulpdus) {
    return 1 + ulpdus / 2 + random.nextInt(ulpdus);
  }

  /** Opens a connection, unless power has failed at its host. */
  private void open(SimulatedMpaConnection conversation) {
    connections.opens();
    if (hosts.client().isOff() || clientDied) {
      conversation.client().die();
      conversation.server().die();
      return;
    }
    conversation.open(LISTENING);
  }

  @Override
  public void powerFailed(SimulatedHost host) {
    boolean isClient = host == hosts.client();
    clientDied |= isClient;
    connections.all().forEach(one -> (isClient ? one.client() : one.server()).die());
  }

  @Override
  public void powerRestored(SimulatedHost host) {
    if (host == hosts.server()) {
      listen();
    }
  }

  @Override
  public void goesOn(TcpConnection former, TcpConnection next) {
    connections.all().forEach(one -> one.goesOn(former, next));
  }

  @Override
  public void checkAfterTurn(SimulatedHost host) {}

  @Override
  public SimulatedConnections<?> connections() {
    return connections;
  }

  @Override
  public void checkAtEnd() {
    connections.all().forEach(SimulatedMpaConnection::judge);
  }

  /** Runs to the end, or to the first violation. */
  void run() {
    hosts.run(this);
    for (SimulatedMpaConnection one : connections.all()) {
      hosts.trace(one.client() + "; " + one.server());
    }
  }

  /** Adds the counts of this run. */
  void addTo(RunTotals totals) {
    long passed = 0;
    for (SimulatedMpaConnection one : connections.all()) {
      passed += one.passed();
      one.addTo(totals);
    }
    totals.addRun(passed);
    hosts.addTo(totals);
    hosts.addOptionsTo(totals);
    totals.add("dropped silently", hosts.sum(counters -> counters.refused));
  }

  /** The rule that was violated, or null. */
  String violation() {
    return hosts.violations().first();
  }
}
