package org.rddp.simulation.tcp;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.Ipv4Address;
import org.rddp.simulation.Deed;
import org.rddp.simulation.Forgeries;
import org.rddp.simulation.Host;
import org.rddp.simulation.Link;
import org.rddp.simulation.Network;
import org.rddp.simulation.Shelf;
import org.rddp.simulation.Tally;
import org.rddp.simulation.Totals;
import org.rddp.simulation.Trace;
import org.rddp.simulation.Verdict;
import org.rddp.tcp.Acceptor;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpCounters;
import org.rddp.tcp.TcpStream;

/**
 * Two hosts, a link between them, connections over it from opening to closing, and what befalls
 * them: everything drawn from a seed.
 */
final class TcpLife {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;

  /** How long nothing may get on: much longer than any wait that chance explains. */
  private static final long STALL = 900 * SECOND;

  /** How long connections may take to be forgotten: as long as one may take to be opened. */
  private static final long AFTERMATH = 2 * 3600 * SECOND;

  private static final long DAY = 24 * 3600 * SECOND;

  /** How long one end waits for another that cannot come back, before it aborts. */
  private static final long PATIENCE = 60 * SECOND;

  private static final long MOST_EVENTS = 20_000_000;
  private static final double MOST_OCTETS = 6e6;
  private static final int SMALLEST_MTU = 576;
  private static final int LISTENING = 7;

  private final Shelf shelf;
  private final Verdict verdict = new Verdict();
  private final Forgeries forgeries = new Forgeries();
  private final SegmentWatch segments = new SegmentWatch(verdict);
  private final List<Conversation> conversations = new ArrayList<>();
  private final SplittableRandom random;
  private final Lots lots;
  private final Network network;
  private final Host client;
  private final Host server;
  private final Link link;
  private Trace trace;
  private final int packets;
  private final int mtu;
  private long progress = -1;
  private long progressAt;
  private long events;
  private int opened;
  private int powerFailures;
  private boolean clientDied;

  TcpLife(long seed, Shelf shelf, Consumer<String> lines) {
    this.shelf = shelf;
    random = new SplittableRandom(seed);
    lots = new Lots(random.split());
    network = new Network(random.nextLong(), shelf.frames());
    network.watch(segments);
    network.watch(forgeries);
    if (lines != null) {
      trace = new Trace(network, lines);
      network.watch(trace);
    }
    mtu = lots.mtu();
    packets = 256 << random.nextInt(4);
    client = host("10.0.0.1");
    server = host("10.0.0.2");
    link = network.join(client.card(), server.card(), lots.wire(), lots.wire());
    listen();
    misfortunes();
    connections();
  }

  private Host host(String address) {
    NativePacketPool pool = shelf.pool(packets, mtu);
    Host host = new Host(network, Ipv4Address.parse(address), lots.stack(), pool, mtu);
    host.turnTakes((long) lots.scale(200, 50_000));
    if (lots.once(4)) {
      host.card().hold((long) lots.scale(1000, 5 * MILLISECOND), 16 + random.nextInt(240));
    }
    host.afterTurn(() -> checkEnds(host));
    host.stack().reportFailuresTo(failure -> verdict.violated("a handler threw " + failure));
    return host;
  }

  private void listen() {
    Acceptor acceptor = this::accept;
    server.stack().listen(LISTENING, acceptor);
  }

  private StreamHandler accept(TcpStream stream, Ipv4Address address, int port) {
    for (Conversation conversation : conversations) {
      if (conversation.port() == port) {
        return conversation.server().done() ? null : conversation.server();
      }
    }
    verdict.violated("a connection from port " + port + " that nobody opened");
    return null;
  }

  /** Opens one connection, or several, shortly after one another. */
  private void connections() {
    int count = lots.once(4) ? 2 + random.nextInt(lots.once(4) ? 16 : 4) : 1;
    double segmentsEach = lots.scale(200, 2000) / count;
    long octets = (long) Math.min(segmentsEach * (mtu - 52), MOST_OCTETS / count);
    for (int i = 0; i < count; i++) {
      long there = share(octets);
      long back = lots.once(3) ? 0 : share(octets);
      Conversation conversation = new Conversation(verdict, random.split(), there, back);
      conversations.add(conversation);
      long at = network.now() + (i == 0 ? 0 : random.nextLong(100 * MILLISECOND));
      network.agenda().at(at, any -> open(conversation), 0);
    }
  }

  /** Ends whose host has lost power before do not exist. */
  private void open(Conversation conversation) {
    opened++;
    if (client.off() || clientDied) {
      conversation.client().die();
      conversation.server().die();
      return;
    }
    conversation.open(client, server, LISTENING, forgeries);
  }

  private long share(long octets) {
    return octets / 2 + random.nextLong(octets + 1);
  }

  private void misfortunes() {
    if (lots.once(4)) {
      link.reSegment(lots.scale(0.02, 1));
    }
    if (lots.once(6)) {
      boolean silently = random.nextBoolean();
      int narrow = Math.max(SMALLEST_MTU, (int) (mtu * (0.3 + random.nextDouble(0.6))));
      long at = network.now() + (long) lots.scale(MILLISECOND, SECOND);
      network.agenda().at(at, any -> narrow(narrow, silently), 0);
    }
    if (lots.once(16)) {
      long from = network.now() + (long) lots.scale(MILLISECOND, 3 * SECOND);
      network.agenda().at(from, any -> cut(true), 0);
      network.agenda().at(from + random.nextLong(5 * SECOND), any -> cut(false), 0);
    }
    if (lots.once(12)) {
      Host victim = random.nextBoolean() ? client : server;
      long at = network.now() + (long) lots.scale(MILLISECOND, 10 * SECOND);
      network.agenda().at(at, any -> powerOff(victim), 0);
      if (random.nextBoolean()) {
        long again = at + random.nextLong(3 * SECOND);
        network.agenda().at(again, any -> powerOn(victim), 0);
      }
    }
  }

  private void narrow(int octets, boolean silently) {
    say("the MTU falls to " + octets + (silently ? ", and nobody says so" : ""));
    link.narrow(Math.min(octets, mtu), silently);
  }

  private void cut(boolean now) {
    say(now ? "the link is cut" : "the link is joined again");
    link.cut(now);
  }

  private void powerOff(Host host) {
    say("power fails at " + host.address());
    host.powerOff();
    powerFailures++;
    clientDied |= host == client;
    conversations.forEach(one -> (host == client ? one.client() : one.server()).die());
  }

  private void powerOn(Host host) {
    say("power is back at " + host.address());
    host.powerOn(shelf.pool(packets, mtu));
    if (host == server) {
      listen();
    }
  }

  private void say(String what) {
    if (trace != null) {
      trace.say(what);
    }
  }

  private void checkEnds(Host host) {
    for (int i = 0; i < conversations.size(); i++) {
      Conversation conversation = conversations.get(i);
      (host == client ? conversation.client() : conversation.server()).check();
    }
  }

  /** Lives to the end, or to the first violation. */
  void live() {
    supervise(0);
    run(this::over, network.now() + DAY, "after a day it is not over");
    if (verdict.holds()) {
      conversations.forEach(Conversation::judge);
      run(this::quiet, network.now() + AFTERMATH, "something is left behind");
    }
    if (verdict.holds()) {
      shelve(client);
      shelve(server);
    } else {
      say("VIOLATED: " + verdict.violation());
    }
  }

  private void run(BooleanSupplier done, long until, String otherwise) {
    boolean came = network.run(() -> !verdict.holds() || tired() || done.getAsBoolean(), until);
    if (!came) {
      verdict.violated(otherwise + remains());
    }
  }

  /** Whether so much has happened that the life must be going in circles. */
  private boolean tired() {
    if (++events > MOST_EVENTS) {
      verdict.violated("no end after " + MOST_EVENTS + " events");
    }
    return events > MOST_EVENTS;
  }

  private boolean over() {
    if (opened < conversations.size()) {
      return false;
    }
    for (int i = 0; i < conversations.size(); i++) {
      if (!conversations.get(i).done()) {
        return false;
      }
    }
    return true;
  }

  /** From time to time: does anything get on? */
  private void supervise(long ignored) {
    long sum = opened;
    for (Conversation one : conversations) {
      one.supervise(network.now(), PATIENCE);
      sum += one.client().progress() + one.server().progress();
    }
    client.poke();
    server.poke();
    if (sum != progress) {
      progress = sum;
      progressAt = network.now();
    } else if (network.now() - progressAt > STALL && !over()) {
      verdict.violated("nothing got on for " + STALL / SECOND + " s");
    }
    network.agenda().at(network.now() + SECOND, this::supervise, 0);
  }

  /** Whether the network is empty, the connections are gone and every packet is back. */
  private boolean quiet() {
    return network.frames().used() == 0 && quiet(client) && quiet(server);
  }

  private static boolean quiet(Host host) {
    return host.off()
        || (host.stack().connections() == 0
            && host.stack().packetsHeld() == 0
            && host.pool().available() == host.pool().capacity());
  }

  private String remains() {
    return String.format(
        ": %d frames, %s, %s", network.frames().used(), remains(client), remains(server));
  }

  private static String remains(Host host) {
    return String.format(
        "%s has %d connections, holds %d packets and misses %d",
        host.address(),
        host.stack().connections(),
        host.stack().packetsHeld(),
        host.pool().capacity() - host.pool().available());
  }

  private void shelve(Host host) {
    if (!host.off()) {
      host.stack().close();
      host.card().close();
      shelf.put(host.pool());
    }
  }

  /** Adds what has happened to the totals. */
  void addTo(Totals totals) {
    Tally tally = network.tally();
    totals.addLife(segments.withData());
    totals.add("segments sent", segments.segments());
    totals.add("with data", segments.withData());
    totals.add("dropped", tally.count(Deed.LOST) + tally.count(Deed.OVERFLOWED));
    totals.add("reordered", tally.count(Deed.REORDERED));
    totals.add("duplicated", tally.count(Deed.DUPLICATED));
    totals.add("corrupted", tally.count(Deed.CORRUPTED));
    totals.add("corrupted, checksum made right", tally.count(Deed.CORRUPTED_UNSEEN));
    totals.add("split by a middlebox", tally.count(Deed.SPLIT));
    totals.add("joined by a middlebox", tally.count(Deed.COALESCED));
    totals.add("too large for the path", tally.count(Deed.TOO_LARGE));
    totals.add("marked as having met congestion", tally.count(Deed.MARKED));
    totals.add("retransmitted", sum(counters -> counters.retransmitted));
    totals.add("handed up out of order", early());
    totals.add("timeouts", sum(counters -> counters.timeouts));
    totals.add("zero-window probes", sum(counters -> counters.probes));
    totals.add("resets", sum(counters -> counters.resetsIn));
    totals.add("path MTUs learnt", sum(counters -> counters.pathMtuLowered));
    totals.add("black holes found", sum(counters -> counters.blackHoles));
    totals.add("power failures", powerFailures);
  }

  private long early() {
    long early = 0;
    for (Conversation one : conversations) {
      early += one.client().early() + one.server().early();
    }
    return early;
  }

  private long sum(ToLongFunction<TcpCounters> counter) {
    return counter.applyAsLong(client.stack().counters())
        + counter.applyAsLong(server.stack().counters());
  }

  /** What was violated, or null. */
  String violation() {
    return verdict.violation();
  }
}
