package org.rddp.simulation.tcp;

import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.rddp.ip.Ipv4Address;
import org.rddp.simulation.Forgeries;
import org.rddp.simulation.Host;
import org.rddp.simulation.Inhabitants;
import org.rddp.simulation.LivingConnections;
import org.rddp.simulation.Lots;
import org.rddp.simulation.Shelf;
import org.rddp.simulation.Totals;
import org.rddp.simulation.Verdict;
import org.rddp.simulation.World;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** Connections between two hosts from opening to closing: everything drawn from a seed. */
final class TcpLife implements Inhabitants {
  private static final long MILLISECOND = 1_000_000;

  private static final double MOST_OCTETS = 6e6;
  private static final int LISTENING = 7;

  /** The first of the ports of connections that both ends open at once. */
  private static final int MEETING = 1000;

  private final World world;
  private final Verdict verdict;
  private final Lots lots;
  private final SplittableRandom random;
  private final Forgeries forgeries = new Forgeries();
  private final SegmentWatch segments;
  private final LivingConnections<Conversation> conversations = new LivingConnections<>();
  private boolean clientDied;
  private boolean serverDied;

  TcpLife(long seed, Shelf shelf, Consumer<String> lines) {
    world = new World(seed, shelf, lines);
    verdict = world.verdict();
    lots = world.lots();
    random = world.random();
    segments = new SegmentWatch(verdict);
    world.network().watch(segments);
    world.network().watch(forgeries);
    listen();
    world.misfortunes();
    connections();
  }

  private void listen() {
    world.server().stack().listen(LISTENING, this::accept);
  }

  private StreamHandler accept(TcpStream stream, Ipv4Address address, int port) {
    Conversation conversation = conversations.of(port, verdict);
    return conversation == null || conversation.server().done() ? null : conversation.server();
  }

  /** Opens one connection, or several, shortly after one another. */
  private void connections() {
    int count = lots.once(4) ? 2 + random.nextInt(lots.once(4) ? 16 : 4) : 1;
    double segmentsEach = lots.scale(200, 2000) / count;
    long octets = (long) Math.min(segmentsEach * (world.mtu() - 52), MOST_OCTETS / count);
    for (int i = 0; i < count; i++) {
      long there = share(octets);
      long back = lots.once(3) ? 0 : share(octets);
      Conversation conversation = new Conversation(verdict, random.split(), there, back);
      conversations.add(conversation);
      long at = world.network().now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      int meetingPort = lots.once(6) ? MEETING + i : 0;
      world.network().agenda().at(at, any -> open(conversation, meetingPort), 0);
    }
  }

  /**
   * Ends whose host has lost power before do not exist.
   *
   * @param meetingPort the port of both ends if both open the connection; 0 if one does
   */
  private void open(Conversation conversation, int meetingPort) {
    conversations.opens();
    if (world.client().off() || clientDied) {
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
  public void died(Host host) {
    boolean isClient = host == world.client();
    clientDied |= isClient;
    serverDied |= !isClient;
    conversations.all().forEach(one -> (isClient ? one.client() : one.server()).die());
  }

  @Override
  public void revived(Host host) {
    if (host == world.server()) {
      listen();
    }
  }

  @Override
  public void check(Host host) {
    boolean isClient = host == world.client();
    for (int i = 0; i < conversations.all().size(); i++) {
      Conversation conversation = conversations.all().get(i);
      (isClient ? conversation.client() : conversation.server()).check();
    }
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
    return conversations.progress();
  }

  @Override
  public void judge() {
    conversations.all().forEach(Conversation::judge);
  }

  /** Lives to the end, or to the first violation. */
  void live() {
    world.live(this);
  }

  /** Adds what has happened to the totals. */
  void addTo(Totals totals) {
    totals.addLife(segments.withData());
    totals.add("segments sent", segments.segments());
    totals.add("with data", segments.withData());
    world.addTo(totals);
    totals.add("handed up out of order", early());
    totals.add("zero-window probes", world.sum(counters -> counters.probes));
    totals.add("opened by both ends at once", met());
    totals.add("established by a cookie", world.sum(counters -> counters.synCookiesAccepted));
  }

  private long met() {
    return conversations.all().stream().filter(Conversation::met).count();
  }

  private long early() {
    long early = 0;
    for (Conversation one : conversations.all()) {
      early += one.client().early() + one.server().early();
    }
    return early;
  }

  /** What was violated, or null. */
  String violation() {
    return verdict.violation();
  }
}
