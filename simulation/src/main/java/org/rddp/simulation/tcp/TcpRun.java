package org.rddp.simulation.tcp;

import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.rddp.ip.Ipv4Address;
import org.rddp.simulation.BufferCache;
import org.rddp.simulation.CorruptedOctets;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.RandomSettings;
import org.rddp.simulation.RunTotals;
import org.rddp.simulation.Scenario;
import org.rddp.simulation.SimulatedConnections;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.Violations;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** Connections between two hosts from opening to closing: everything drawn from a seed. */
final class TcpRun implements Scenario {
  private static final long MILLISECOND = 1_000_000;

  private static final double MOST_OCTETS = 6e6;
  private static final int LISTENING = 7;

  /** The first of the ports of connections that both ends open at once. */
  private static final int MEETING = 1000;

  private final HostPair world;
  private final Violations verdict;
  private final RandomSettings lots;
  private final SplittableRandom random;
  private final CorruptedOctets forgeries = new CorruptedOctets();
  private final SegmentWatch segments;
  private final SimulatedConnections<SimulatedTcpConnection> conversations =
      new SimulatedConnections<>();
  private boolean clientDied;
  private boolean serverDied;

  TcpRun(long seed, BufferCache shelf, Consumer<String> lines) {
    world = new HostPair(seed, shelf, lines);
    verdict = world.violations();
    lots = world.settings();
    random = world.random();
    segments = new SegmentWatch(verdict);
    world.network().addListener(segments);
    world.network().addListener(forgeries);
    listen();
    world.scheduleFaults();
    connections();
  }

  private void listen() {
    world.server().stack().listen(LISTENING, this::accept);
  }

  private StreamHandler accept(TcpStream stream, Ipv4Address address, int port) {
    SimulatedTcpConnection conversation = conversations.of(port, verdict);
    return conversation == null || conversation.server().done() ? null : conversation.server();
  }

  /** Opens one connection, or several, shortly after one another. */
  private void connections() {
    int count = lots.oneIn(4) ? 2 + random.nextInt(lots.oneIn(4) ? 16 : 4) : 1;
    double segmentsEach = lots.logUniform(200, 2000) / count;
    long octets = (long) Math.min(segmentsEach * (world.mtu() - 52), MOST_OCTETS / count);
    for (int i = 0; i < count; i++) {
      long there = share(octets);
      long back = lots.oneIn(3) ? 0 : share(octets);
      SimulatedTcpConnection conversation =
          new SimulatedTcpConnection(verdict, random.split(), there, back);
      conversations.add(conversation);
      long at = world.network().now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      int meetingPort = lots.oneIn(6) ? MEETING + i : 0;
      world.network().events().schedule(at, any -> open(conversation, meetingPort), 0);
    }
  }

  /**
   * Ends whose host has lost power before do not exist.
   *
   * @param meetingPort the port of both ends if both open the connection; 0 if one does
   */
  private void open(SimulatedTcpConnection conversation, int meetingPort) {
    conversations.opens();
    if (world.client().isOff() || clientDied) {
      conversation.client().die();
      conversation.server().die();
      return;
    }
    if (meetingPort != 0 && !serverDied) {
      conversation.meet(world.client(), world.server(), meetingPort, forgeries);
      return;
    }
    conversation.open(world.client(), world.server(), LISTENING, forgeries);
  }

  private long share(long octets) {
    return octets / 2 + random.nextLong(octets + 1);
  }

  @Override
  public void powerFailed(SimulatedHost host) {
    boolean isClient = host == world.client();
    clientDied |= isClient;
    serverDied |= !isClient;
    conversations.all().forEach(one -> (isClient ? one.client() : one.server()).die());
  }

  @Override
  public void powerRestored(SimulatedHost host) {
    if (host == world.server()) {
      listen();
    }
  }

  @Override
  public void checkAfterTurn(SimulatedHost host) {
    boolean isClient = host == world.client();
    for (int i = 0; i < conversations.all().size(); i++) {
      SimulatedTcpConnection conversation = conversations.all().get(i);
      (isClient ? conversation.client() : conversation.server()).check();
    }
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
    return conversations.progress();
  }

  @Override
  public void checkAtEnd() {
    conversations.all().forEach(SimulatedTcpConnection::judge);
  }

  /** Lives to the end, or to the first violation. */
  void run() {
    world.run(this);
  }

  /** Adds what has happened to the totals. */
  void addTo(RunTotals totals) {
    totals.addRun(segments.withData());
    totals.add("segments sent", segments.segments());
    totals.add("with data", segments.withData());
    world.addTo(totals);
    totals.add("handed up out of order", early());
    totals.add("zero-window probes", world.sum(counters -> counters.probes));
    totals.add("opened by both ends at once", met());
    totals.add("established by a cookie", world.sum(counters -> counters.synCookiesAccepted));
  }

  private long met() {
    return conversations.all().stream().filter(SimulatedTcpConnection::met).count();
  }

  private long early() {
    long early = 0;
    for (SimulatedTcpConnection one : conversations.all()) {
      early += one.client().early() + one.server().early();
    }
    return early;
  }

  /** What was violated, or null. */
  String violation() {
    return verdict.first();
  }
}
