package org.rddp.simulation.tcp;

import java.util.SplittableRandom;
import org.rddp.ip.HostAddress;
import org.rddp.simulation.CorruptedOctets;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RandomSettings;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Scenario;
import org.rddp.simulation.SimulatedConnections;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.Violations;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpStream;

/** One run of TCP: connections between two hosts from opening to closing, all drawn from a seed. */
final class TcpRun implements Scenario {
  private static final long MILLISECOND = 1_000_000;

  private static final double MOST_OCTETS = 6e6;
  private static final int LISTENING = 7;

  /** The first of the ports of connections that both ends open at once. */
  private static final int MEETING = 1000;

  private final HostPair hosts;
  private final Violations violations;
  private final RandomSettings choices;
  private final SplittableRandom random;
  private final CorruptedOctets corrupted = new CorruptedOctets();
  private final SegmentWatch segments;
  private final SimulatedConnections<SimulatedTcpConnection> connections =
      new SimulatedConnections<>();
  private boolean clientDied;
  private boolean serverDied;

  TcpRun(HostPair hosts) {
    this.hosts = hosts;
    violations = hosts.violations();
    choices = hosts.settings();
    random = hosts.random();
    segments = new SegmentWatch(violations);
    hosts.network().addListener(segments);
    hosts.network().addListener(corrupted);
    listen();
    hosts.scheduleFaults();
    addConnections();
  }

  private void listen() {
    hosts.server().listen(LISTENING, this::accept);
  }

  private StreamHandler accept(TcpStream stream, HostAddress address, int port) {
    SimulatedTcpConnection conversation = connections.of(port, violations);
    return conversation == null || conversation.server().done() ? null : conversation.server();
  }

  /** Opens one connection, or several, shortly after one another. */
  private void addConnections() {
    int count = choices.oneIn(4) ? 2 + random.nextInt(choices.oneIn(4) ? 16 : 4) : 1;
    double segmentsEach = choices.logUniform(200, 2000) / count;
    long octets = (long) Math.min(segmentsEach * (hosts.mtu() - 52), MOST_OCTETS / count);
    for (int i = 0; i < count; i++) {
      long there = share(octets);
      long back = choices.oneIn(3) ? 0 : share(octets);
      SimulatedTcpConnection conversation =
          new SimulatedTcpConnection(violations, random.split(), there, back);
      connections.add(conversation);
      long at = hosts.network().now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      int meetingPort = choices.oneIn(6) ? MEETING + i : 0;
      hosts.network().events().schedule(at, any -> open(conversation, meetingPort), 0);
    }
  }

  /**
   * Opens a connection, unless power has failed at its host.
   *
   * @param meetingPort the port of both ends if both open the connection; 0 if one does
   */
  private void open(SimulatedTcpConnection conversation, int meetingPort) {
    connections.opens();
    if (hosts.client().isOff() || clientDied) {
      conversation.client().die();
      conversation.server().die();
      return;
    }
    if (meetingPort != 0 && !serverDied) {
      conversation.meet(hosts.client(), hosts.server(), meetingPort, corrupted);
      return;
    }
    conversation.open(hosts.client(), hosts.server(), LISTENING, corrupted);
  }

  private long share(long octets) {
    return octets / 2 + random.nextLong(octets + 1);
  }

  @Override
  public void powerFailed(SimulatedHost host) {
    boolean isClient = host == hosts.client();
    clientDied |= isClient;
    serverDied |= !isClient;
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
  public void checkAfterTurn(SimulatedHost host) {
    boolean isClient = host == hosts.client();
    for (int i = 0; i < connections.all().size(); i++) {
      SimulatedTcpConnection conversation = connections.all().get(i);
      (isClient ? conversation.client() : conversation.server()).check();
    }
  }

  @Override
  public SimulatedConnections<?> connections() {
    return connections;
  }

  @Override
  public void checkAtEnd() {
    connections.all().forEach(SimulatedTcpConnection::judge);
  }

  /** Runs to the end, or to the first violation. */
  void run() {
    hosts.run(this);
  }

  /** Adds the counts of this run. */
  void addTo(RunTotals totals) {
    totals.addRun(segments.withData());
    totals.add("segments sent", segments.segments());
    totals.add("with data", segments.withData());
    hosts.addTo(totals);
    hosts.addOptionsTo(totals);
    totals.add("handed up out of order", early());
    totals.add("zero-window probes", hosts.sum(counters -> counters.probes));
    totals.add("opened by both ends at once", met());
    totals.add("established by a cookie", hosts.sum(counters -> counters.synCookiesAccepted));
  }

  private long met() {
    return connections.all().stream().filter(SimulatedTcpConnection::met).count();
  }

  private long early() {
    long early = 0;
    for (SimulatedTcpConnection one : connections.all()) {
      early += one.client().early() + one.server().early();
    }
    return early;
  }

  /** The rule that was violated, or null. */
  String violation() {
    return violations.first();
  }
}
