package org.rddp.simulation;

import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.TcpCounters;

/**
 * Where a life takes place: two hosts, a link between them and what befalls both, drawn from a
 * seed. In the end every packet must be back in its pool.
 */
public final class World {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;

  /** How long nothing may get on: much longer than any wait that chance explains. */
  private static final long STALL = 900 * SECOND;

  /** How long connections may take to be forgotten: as long as one may take to be opened. */
  private static final long AFTERMATH = 2 * 3600 * SECOND;

  private static final long DAY = 24 * 3600 * SECOND;
  private static final long MOST_EVENTS = 20_000_000;
  private static final int SMALLEST_MTU = 576;

  /** What every link carries without fragments (RFC 791 section 3.2). */
  private static final int SMALLEST_LINK = 68;

  private final Shelf shelf;
  private final Verdict verdict = new Verdict();
  private final SplittableRandom random;
  private final Lots lots;
  private final Network network;
  private final Host client;
  private final Host server;
  private final Link link;
  private final int packets;
  private final int mtu;
  private Trace trace;
  private Inhabitants inhabitants;
  private long progress = -1;
  private long progressAt;
  private long events;
  private int powerFailures;

  /**
   * The world of a seed.
   *
   * @param shelf where packets and frames are taken from and put back
   * @param lines where what happens is told, or null for nowhere
   */
  public World(long seed, Shelf shelf, Consumer<String> lines) {
    this.shelf = shelf;
    random = new SplittableRandom(seed);
    lots = new Lots(random.split());
    network = new Network(random.nextLong(), shelf.frames());
    if (lines != null) {
      trace = new Trace(network, lines);
      network.watch(trace);
    }
    mtu = lots.mtu();
    packets = 256 << random.nextInt(4);
    client = host("10.0.0.1");
    server = host("10.0.0.2");
    link = network.join(client.card(), server.card(), lots.wire(), lots.wire());
  }

  private Host host(String address) {
    NativePacketPool pool = shelf.pool(packets, mtu);
    Host host = new Host(network, Ipv4Address.parse(address), lots.stack(), pool, mtu);
    host.turnTakes((long) lots.scale(200, 50_000));
    if (lots.once(4)) {
      host.card().hold((long) lots.scale(1000, 5 * MILLISECOND), 16 + random.nextInt(240));
    }
    if (lots.once(6)) {
      host.card().places((int) lots.scale(4, 128));
    }
    host.afterTurn(() -> inhabitants.check(host));
    reportFailures(host);
    return host;
  }

  private void reportFailures(Host host) {
    host.stack().reportFailuresTo(failure -> verdict.violated("a handler threw " + failure));
  }

  /** What everything else about the life is drawn with. */
  public SplittableRandom random() {
    return random;
  }

  /** Draws settings. */
  public Lots lots() {
    return lots;
  }

  /** The network that the hosts are in. */
  public Network network() {
    return network;
  }

  /** The host that opens connections. */
  public Host client() {
    return client;
  }

  /** The host that listens. */
  public Host server() {
    return server;
  }

  /** The link between them. */
  public Link link() {
    return link;
  }

  /** The largest packet of both cards, in octets. */
  public int mtu() {
    return mtu;
  }

  /** Whether what must hold has held so far. */
  public Verdict verdict() {
    return verdict;
  }

  /** Whether anybody reads what {@link #say} tells. */
  public boolean traced() {
    return trace != null;
  }

  /** Tells what happens, to whoever reads the trace. */
  public void say(String what) {
    if (trace != null) {
      trace.say(what);
    }
  }

  /** Draws what befalls the link and the hosts. */
  public void misfortunes() {
    if (lots.once(4)) {
      link.reSegment(lots.scale(0.02, 1));
    }
    if (lots.once(6)) {
      boolean silently = random.nextBoolean();
      int narrow = Math.max(SMALLEST_MTU, (int) (mtu * (0.3 + random.nextDouble(0.6))));
      long at = network.now() + (long) lots.scale(MILLISECOND, SECOND);
      network.agenda().at(at, any -> narrow(narrow, silently), 0);
    }
    if (lots.once(8)) {
      link.fragment(Math.max(SMALLEST_LINK, (int) (mtu * (0.2 + random.nextDouble(0.7)))));
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
    inhabitants.died(host);
  }

  private void powerOn(Host host) {
    say("power is back at " + host.address());
    host.powerOn(shelf.pool(packets, mtu));
    reportFailures(host);
    inhabitants.revived(host);
  }

  /** Lives to the end, or to the first violation. */
  public void live(Inhabitants its) {
    inhabitants = its;
    supervise(0);
    run(its::over, network.now() + DAY, "after a day it is not over");
    if (verdict.holds()) {
      its.judge();
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

  /** From time to time: does anything get on? */
  private void supervise(long ignored) {
    inhabitants.supervise(network.now());
    client.poke();
    server.poke();
    long sum = inhabitants.progress();
    if (sum != progress) {
      progress = sum;
      progressAt = network.now();
    } else if (network.now() - progressAt > STALL && !inhabitants.over()) {
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

  /** Adds what has happened to frames and in the stacks to the totals. */
  public void addTo(Totals totals) {
    Tally tally = network.tally();
    totals.add("dropped", tally.count(Deed.LOST) + tally.count(Deed.OVERFLOWED));
    totals.add("reordered", tally.count(Deed.REORDERED));
    totals.add("duplicated", tally.count(Deed.DUPLICATED));
    totals.add("corrupted", tally.count(Deed.CORRUPTED));
    totals.add("corrupted, checksum made right", tally.count(Deed.CORRUPTED_UNSEEN));
    totals.add("split by a middlebox", tally.count(Deed.SPLIT));
    totals.add("joined by a middlebox", tally.count(Deed.COALESCED));
    totals.add("fragmented by a middlebox", tally.count(Deed.FRAGMENTED));
    totals.add("put together from fragments", reassembled(client) + reassembled(server));
    totals.add("missed by a card", client.card().missed() + server.card().missed());
    totals.add("too large for the path", tally.count(Deed.TOO_LARGE));
    totals.add("marked as having met congestion", tally.count(Deed.MARKED));
    totals.add("retransmitted", sum(counters -> counters.retransmitted));
    totals.add("timeouts", sum(counters -> counters.timeouts));
    totals.add("resets", sum(counters -> counters.resetsIn));
    totals.add("path MTUs learnt", sum(counters -> counters.pathMtuLowered));
    totals.add("black holes found", sum(counters -> counters.blackHoles));
    totals.add("keep-alives", sum(counters -> counters.keepAliveProbes));
    totals.add("given up without an answer", sum(counters -> counters.timedOut));
    totals.add("power failures", powerFailures);
  }

  private static long reassembled(Host host) {
    return host.stack().ipCounters().reassembled;
  }

  /** The sum of a counter of both stacks. */
  public long sum(ToLongFunction<TcpCounters> counter) {
    return counter.applyAsLong(client.stack().counters())
        + counter.applyAsLong(server.stack().counters());
  }
}
