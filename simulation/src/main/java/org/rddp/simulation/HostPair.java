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
public final class HostPair {
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

  private final BufferCache shelf;
  private final Violations verdict = new Violations();
  private final SplittableRandom random;
  private final RandomSettings lots;
  private final Network network;
  private final SimulatedHost client;
  private final SimulatedHost server;
  private final SimulatedLink link;
  private final int packets;
  private final int mtu;
  private Trace trace;
  private Scenario inhabitants;
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
  public HostPair(long seed, BufferCache shelf, Consumer<String> lines) {
    this.shelf = shelf;
    random = new SplittableRandom(seed);
    lots = new RandomSettings(random.split());
    network = new Network(random.nextLong(), shelf.frames());
    if (lines != null) {
      trace = new Trace(network, lines);
      network.addListener(trace);
    }
    mtu = lots.mtu();
    packets = 256 << random.nextInt(4);
    client = host("10.0.0.1");
    server = host("10.0.0.2");
    link = network.join(client.card(), server.card(), lots.wireSettings(), lots.wireSettings());
  }

  private SimulatedHost host(String address) {
    NativePacketPool pool = shelf.pool(packets, mtu);
    SimulatedHost host =
        new SimulatedHost(network, Ipv4Address.parse(address), lots.tcpSettings(), pool, mtu);
    host.turnDuration((long) lots.logUniform(200, 50_000));
    if (lots.oneIn(4)) {
      host.card().hold((long) lots.logUniform(1000, 5 * MILLISECOND), 16 + random.nextInt(240));
    }
    if (lots.oneIn(6)) {
      host.card().receiveRing((int) lots.logUniform(4, 128));
    }
    host.afterTurn(() -> inhabitants.checkAfterTurn(host));
    reportFailures(host);
    return host;
  }

  private void reportFailures(SimulatedHost host) {
    host.stack().reportFailuresTo(failure -> verdict.add("a handler threw " + failure));
  }

  /** What everything else about the life is drawn with. */
  public SplittableRandom random() {
    return random;
  }

  /** Draws settings. */
  public RandomSettings settings() {
    return lots;
  }

  /** The network that the hosts are in. */
  public Network network() {
    return network;
  }

  /** The host that opens connections. */
  public SimulatedHost client() {
    return client;
  }

  /** The host that listens. */
  public SimulatedHost server() {
    return server;
  }

  /** The link between them. */
  public SimulatedLink link() {
    return link;
  }

  /** The largest packet of both cards, in octets. */
  public int mtu() {
    return mtu;
  }

  /** Whether what must hold has held so far. */
  public Violations violations() {
    return verdict;
  }

  /** Whether anybody reads what {@link #trace} tells. */
  public boolean isTraced() {
    return trace != null;
  }

  /** Tells what happens, to whoever reads the trace. */
  public void trace(String what) {
    if (trace != null) {
      trace.line(what);
    }
  }

  /** Draws what befalls the link and the hosts. */
  public void scheduleFaults() {
    if (lots.oneIn(4)) {
      link.reSegment(lots.logUniform(0.02, 1));
    }
    if (lots.oneIn(6)) {
      boolean silently = random.nextBoolean();
      int narrow = Math.max(SMALLEST_MTU, (int) (mtu * (0.3 + random.nextDouble(0.6))));
      long at = network.now() + (long) lots.logUniform(MILLISECOND, SECOND);
      network.events().schedule(at, any -> narrow(narrow, silently), 0);
    }
    if (lots.oneIn(8)) {
      link.fragment(Math.max(SMALLEST_LINK, (int) (mtu * (0.2 + random.nextDouble(0.7)))));
    }
    if (lots.oneIn(16)) {
      long from = network.now() + (long) lots.logUniform(MILLISECOND, 3 * SECOND);
      network.events().schedule(from, any -> cut(true), 0);
      network.events().schedule(from + random.nextLong(5 * SECOND), any -> cut(false), 0);
    }
    if (lots.oneIn(12)) {
      SimulatedHost victim = random.nextBoolean() ? client : server;
      long at = network.now() + (long) lots.logUniform(MILLISECOND, 10 * SECOND);
      network.events().schedule(at, any -> powerOff(victim), 0);
      if (random.nextBoolean()) {
        long again = at + random.nextLong(3 * SECOND);
        network.events().schedule(again, any -> powerOn(victim), 0);
      }
    }
  }

  private void narrow(int octets, boolean silently) {
    trace("the MTU falls to " + octets + (silently ? ", and nobody says so" : ""));
    link.reduceMtu(Math.min(octets, mtu), silently);
  }

  private void cut(boolean now) {
    trace(now ? "the link is cut" : "the link is joined again");
    link.cut(now);
  }

  private void powerOff(SimulatedHost host) {
    trace("power fails at " + host.address());
    host.powerOff();
    powerFailures++;
    inhabitants.powerFailed(host);
  }

  private void powerOn(SimulatedHost host) {
    trace("power is back at " + host.address());
    host.powerOn(shelf.pool(packets, mtu));
    reportFailures(host);
    inhabitants.powerRestored(host);
  }

  /** Lives to the end, or to the first violation. */
  public void run(Scenario its) {
    inhabitants = its;
    supervise(0);
    run(its::isOver, network.now() + DAY, "after a day it is not over");
    if (verdict.isEmpty()) {
      its.checkAtEnd();
      run(this::quiet, network.now() + AFTERMATH, "something is left behind");
    }
    if (verdict.isEmpty()) {
      shelve(client);
      shelve(server);
    } else {
      trace("VIOLATED: " + verdict.first());
    }
  }

  private void run(BooleanSupplier done, long until, String otherwise) {
    boolean came = network.run(() -> !verdict.isEmpty() || tired() || done.getAsBoolean(), until);
    if (!came) {
      verdict.add(otherwise + remains());
    }
  }

  /** Whether so much has happened that the life must be going in circles. */
  private boolean tired() {
    if (++events > MOST_EVENTS) {
      verdict.add("no end after " + MOST_EVENTS + " events");
    }
    return events > MOST_EVENTS;
  }

  /** From time to time: does anything get on? */
  private void supervise(long ignored) {
    inhabitants.supervise(network.now());
    client.scheduleTurn();
    server.scheduleTurn();
    long sum = inhabitants.progress();
    if (sum != progress) {
      progress = sum;
      progressAt = network.now();
    } else if (network.now() - progressAt > STALL && !inhabitants.isOver()) {
      verdict.add("nothing got on for " + STALL / SECOND + " s");
    }
    network.events().schedule(network.now() + SECOND, this::supervise, 0);
  }

  /** Whether the network is empty, the connections are gone and every packet is back. */
  private boolean quiet() {
    return network.frames().used() == 0 && quiet(client) && quiet(server);
  }

  private static boolean quiet(SimulatedHost host) {
    return host.isOff()
        || (host.stack().connections() == 0
            && host.stack().packetsHeld() == 0
            && host.pool().available() == host.pool().capacity());
  }

  private String remains() {
    return String.format(
        ": %d frames, %s, %s", network.frames().used(), remains(client), remains(server));
  }

  private static String remains(SimulatedHost host) {
    return String.format(
        "%s has %d connections, holds %d packets and misses %d",
        host.address(),
        host.stack().connections(),
        host.stack().packetsHeld(),
        host.pool().capacity() - host.pool().available());
  }

  private void shelve(SimulatedHost host) {
    if (!host.isOff()) {
      host.stack().close();
      host.card().close();
      shelf.giveBack(host.pool());
    }
  }

  /** Adds what has happened to frames and in the stacks to the totals. */
  public void addTo(RunTotals totals) {
    NetworkCounters tally = network.counters();
    totals.add("dropped", tally.count(NetworkEvent.LOST) + tally.count(NetworkEvent.OVERFLOWED));
    totals.add("reordered", tally.count(NetworkEvent.REORDERED));
    totals.add("duplicated", tally.count(NetworkEvent.DUPLICATED));
    totals.add("corrupted", tally.count(NetworkEvent.CORRUPTED));
    totals.add("corrupted, checksum made right", tally.count(NetworkEvent.CORRUPTED_UNSEEN));
    totals.add("split by a middlebox", tally.count(NetworkEvent.SPLIT));
    totals.add("joined by a middlebox", tally.count(NetworkEvent.COALESCED));
    totals.add("fragmented by a middlebox", tally.count(NetworkEvent.FRAGMENTED));
    totals.add("put together from fragments", reassembled(client) + reassembled(server));
    totals.add("missed by a card", client.card().missed() + server.card().missed());
    totals.add("too large for the path", tally.count(NetworkEvent.TOO_LARGE));
    totals.add("marked as having met congestion", tally.count(NetworkEvent.MARKED));
    totals.add("retransmitted", sum(counters -> counters.retransmitted));
    totals.add("timeouts", sum(counters -> counters.timeouts));
    totals.add("resets", sum(counters -> counters.resetsIn));
    totals.add("path MTUs learnt", sum(counters -> counters.pathMtuLowered));
    totals.add("black holes found", sum(counters -> counters.blackHoles));
    totals.add("keep-alives", sum(counters -> counters.keepAliveProbes));
    totals.add("given up without an answer", sum(counters -> counters.timedOut));
    totals.add("power failures", powerFailures);
  }

  private static long reassembled(SimulatedHost host) {
    return host.stack().ipCounters().reassembled;
  }

  /** The sum of a counter of both stacks. */
  public long sum(ToLongFunction<TcpCounters> counter) {
    return counter.applyAsLong(client.stack().counters())
        + counter.applyAsLong(server.stack().counters());
  }
}
