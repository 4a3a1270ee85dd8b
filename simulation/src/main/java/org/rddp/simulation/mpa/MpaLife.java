package org.rddp.simulation.mpa;

import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.rddp.ip.Ipv4Address;
import org.rddp.simulation.Host;
import org.rddp.simulation.Inhabitants;
import org.rddp.simulation.LivingConnections;
import org.rddp.simulation.Lots;
import org.rddp.simulation.Shelf;
import org.rddp.simulation.Totals;
import org.rddp.simulation.Wire;
import org.rddp.simulation.World;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/** Connections of MPA between two hosts from opening to closing: everything drawn from a seed. */
final class MpaLife implements Inhabitants {
  private static final long MILLISECOND = 1_000_000;

  private static final double MOST_OCTETS = 4e6;
  private static final int LISTENING = 7;

  private final World world;
  private final Lots lots;
  private final SplittableRandom random;
  private final LivingConnections<MpaConversation> conversations = new LivingConnections<>();
  private boolean clientDied;

  /**
   * The life of a seed.
   *
   * @param buffer address of memory for the longest ULPDU
   */
  MpaLife(long seed, Shelf shelf, Consumer<String> lines, long buffer) {
    world = new World(seed, shelf, lines);
    lots = world.lots();
    random = world.random();
    listen();
    spoil(world.link().there());
    spoil(world.link().back());
    world.misfortunes();
    connections(buffer);
  }

  /** What TCP cannot notice ends a half connection: not too early in most lives. */
  private void spoil(Wire wire) {
    double often = lots.once(2) ? 0 : lots.scale(0.0003, 0.02);
    wire.settings(wire.settings().withCorruptUnseen(often));
  }

  private void listen() {
    world.server().stack().listen(LISTENING, this::accept);
  }

  private StreamHandler accept(TcpStream stream, Ipv4Address address, int port) {
    MpaConversation conversation = conversations.of(port, world.verdict());
    return conversation == null || conversation.server().done()
        ? null
        : conversation.server().handler();
  }

  /** Opens one connection, or several, shortly after one another. */
  private void connections(long buffer) {
    int count = lots.once(4) ? 2 + random.nextInt(4) : 1;
    double most = MOST_OCTETS / world.mtu();
    int each = (int) Math.max(1, Math.min(lots.scale(300, 3000), most) / count);
    for (int i = 0; i < count; i++) {
      int there = share(each);
      int back = lots.once(4) ? 1 : share(each);
      MpaConversation conversation = new MpaConversation(world, there, back, buffer);
      conversations.add(conversation);
      long at = world.network().now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      world.network().agenda().at(at, any -> open(conversation), 0);
    }
  }

  private int share(int ulpdus) {
    return 1 + ulpdus / 2 + random.nextInt(ulpdus);
  }

  /** Ends whose host has lost power before do not exist. */
  private void open(MpaConversation conversation) {
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
    conversations.all().forEach(one -> (isClient ? one.client() : one.server()).die());
  }

  @Override
  public void revived(Host host) {
    if (host == world.server()) {
      listen();
    }
  }

  @Override
  public void check(Host host) {}

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
    conversations.all().forEach(MpaConversation::judge);
  }

  /** Lives to the end, or to the first violation. */
  void live() {
    world.live(this);
    for (MpaConversation one : conversations.all()) {
      world.say(one.client() + "; " + one.server());
    }
  }

  /** Adds what has happened to the totals. */
  void addTo(Totals totals) {
    long passed = 0;
    for (MpaConversation one : conversations.all()) {
      passed += one.passed();
      one.addTo(totals);
    }
    totals.addLife(passed);
    world.addTo(totals);
    totals.add("dropped silently", world.sum(counters -> counters.refused));
  }

  /** What was violated, or null. */
  String violation() {
    return world.verdict().violation();
  }
}
