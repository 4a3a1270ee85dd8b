package org.rddp.simulation;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.rddp.device.NativePacketPool;
import org.rddp.ip.IpCounters;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.TcpCounters;
import org.rddp.tcp.TcpStack;
import org.rddp.wire.Ipv6;

/**
 * Two hosts, a link between them and the faults of both, drawn from a seed. At the end of a run
 * every packet must be back in its pool.
 */
public final class HostPair {
  private static final long MILLISECOND = 1_000_000;

  /** Arbitrary: seeds the generator that draws how many stacks hosts have. */
  private static final long STACKS = 0x5354_4143_4b53L;

  /** Arbitrary: seeds the generator that draws what cards do with long frames. */
  private static final long LONG_FRAMES = 0x4c4f_4e47_4652L;

  /** Arbitrary: seeds the generator that draws what only runs over IPv6 have. */
  private static final long IPV6_DRAWS = 0x4950_7636_4950L;

  private static final long SECOND = 1000 * MILLISECOND;

  /** The largest share of neighbour messages that is lost. */
  private static final double MOST_NEIGHBOUR_LOSS = 0.4;

  /** The longest time without progress: much longer than any wait that loss explains. */
  private static final long STALL = 900 * SECOND;

  /** Time until both stacks must have forgotten every connection: the connect timeout. */
  private static final long AFTERMATH = 2 * 3600 * SECOND;

  private static final long DAY = 24 * 3600 * SECOND;
  private static final long MOST_EVENTS = 20_000_000;
  private static final int SMALLEST_MTU = 576;

  /** The most octets of a frame beside its IP packet. */
  private static final int ROOM_FOR_HEADERS = 64;

  /** The smallest MTU of a link (RFC 791 section 3.2). */
  private static final int SMALLEST_LINK = 68;

  private final boolean ipv6;
  private final BufferCache buffers;
  private final Violations violations = new Violations();
  private final SplittableRandom random;
  private final RandomSettings choices;
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

  /** Draws what only runs over IPv6 have, so that other runs stay the same. */
  private final SplittableRandom ipv6Draws;

  /** In half of the runs over IPv6; otherwise null. */
  private Forger forger;

  private int withoutIpv4;

  /** Whether a router may have told a host of a smaller path MTU. */
  private boolean isMtuTold;

  /**
   * Hosts and a link drawn from a seed.
   *
   * @param buffers provides packets and frames
   * @param lines takes each line of the trace, or null for no trace
   * @param ipv6 whether the hosts have IPv6, and connect over it
   */
  public HostPair(long seed, BufferCache buffers, Consumer<String> lines, boolean ipv6) {
    this.ipv6 = ipv6;
    this.buffers = buffers;
    ipv6Draws = new SplittableRandom(seed ^ IPV6_DRAWS);
    random = new SplittableRandom(seed);
    choices = new RandomSettings(random.split());
    network = new Network(random.nextLong(), buffers.frames());
    if (lines != null) {
      trace = new Trace(network, lines);
      network.addListener(trace);
    }
    int drawn = choices.mtu();
    mtu = ipv6 ? Math.max(drawn, Ipv6.LEAST_MTU) : drawn;
    packets = 256 << random.nextInt(4);
    SplittableRandom independent = new SplittableRandom(seed ^ STACKS);
    SplittableRandom longer = new SplittableRandom(seed ^ LONG_FRAMES);
    boolean passes = longer.nextInt(4) == 0;
    int most = mtu + longer.nextInt(FrameStore.LONGEST - ROOM_FOR_HEADERS - mtu);
    LongFrames both = new LongFrames(most, false, longer.nextInt(4) == 0);
    client =
        host("10.0.0.1", drawStacks(independent), passes ? both : drawLongFrames(longer, most));
    server =
        host("10.0.0.2", drawStacks(independent), passes ? both : drawLongFrames(longer, most));
    link =
        network.join(client.card(), server.card(), choices.wireSettings(), choices.wireSettings());
  }

  private Families families() {
    if (!ipv6) {
      return Families.IPV4;
    }
    boolean ipv4 = ipv6Draws.nextBoolean();
    withoutIpv4 += ipv4 ? 0 : 1;
    return new Families(ipv4, true, ipv6Draws.nextBoolean());
  }

  /** Draws the number of stacks, independently of all else: a quarter of the hosts have several. */
  private static int drawStacks(SplittableRandom independent) {
    return independent.nextInt(4) == 0 ? 1 << independent.nextInt(1, 4) : 1;
  }

  /** Draws what a card does with long frames: a third cut them, and may merge what they receive. */
  private static LongFrames drawLongFrames(SplittableRandom longer, int most) {
    boolean merges = longer.nextBoolean();
    return longer.nextInt(3) == 0 ? new LongFrames(most, true, merges) : LongFrames.NONE;
  }

  private SimulatedHost host(String address, int stacks, LongFrames longFrames) {
    NativePacketPool pool = buffers.pool(packets * stacks, mtu, longFrames.longest() > 0);
    SimulatedHost host =
        new SimulatedHost(
            network,
            Ipv4Address.parse(address),
            choices.tcpSettings(),
            pool,
            mtu,
            longFrames,
            stacks,
            families());
    host.turnDuration((long) choices.logUniform(200, 50_000));
    if (choices.oneIn(4)) {
      host.card().hold((long) choices.logUniform(1000, 5 * MILLISECOND), 16 + random.nextInt(240));
    }
    if (choices.oneIn(6)) {
      host.card().receiveRing((int) choices.logUniform(4, 128));
    }
    host.afterTurn(() -> inhabitants.checkAfterTurn(host));
    reportFailures(host);
    return host;
  }

  private void reportFailures(SimulatedHost host) {
    for (TcpStack stack : host.stacks()) {
      stack.reportFailuresTo(failure -> violations.add("a handler threw " + failure));
    }
  }

  /**
   * Draws whether a run is over IPv6: a third of them are.
   *
   * @param seed of the run, of whose other choices this one is independent
   */
  public static boolean drawIpv6(long seed) {
    return new SplittableRandom(~seed).nextInt(3) == 0;
  }

  /** The generator for everything else in the run. */
  public SplittableRandom random() {
    return random;
  }

  /** Draws settings. */
  public RandomSettings settings() {
    return choices;
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

  /** Whether the hosts connect over IPv6. */
  public boolean isIpv6() {
    return ipv6;
  }

  /** The largest packet of both cards, in octets. */
  public int mtu() {
    return mtu;
  }

  /** The rules that were violated so far. */
  public Violations violations() {
    return violations;
  }

  /** Whether the run is traced. */
  public boolean isTraced() {
    return trace != null;
  }

  /** Adds a line to the trace. */
  public void trace(String what) {
    if (trace != null) {
      trace.line(what);
    }
  }

  /** Draws the faults of the link and the hosts, and schedules them. */
  public void scheduleFaults() {
    if (ipv6) {
      scheduleFaultsOfIpv6();
    }
    if (choices.oneIn(4)) {
      link.reSegment(choices.logUniform(0.02, 1));
    }
    boolean passesLong = client.card().passesLongFrames();
    if (choices.oneIn(6)) {
      boolean silently = random.nextBoolean();
      int least = ipv6 ? Ipv6.LEAST_MTU : SMALLEST_MTU;
      int narrow = Math.max(least, (int) (mtu * (0.3 + random.nextDouble(0.6))));
      long at = network.now() + (long) choices.logUniform(MILLISECOND, SECOND);
      if (!passesLong) {
        network.events().schedule(at, any -> narrow(narrow, silently), 0);
      }
    }
    if (choices.oneIn(8)) {
      int most = Math.max(SMALLEST_LINK, (int) (mtu * (0.2 + random.nextDouble(0.7))));
      if (!passesLong) {
        link.fragment(most);
      }
    }
    if (choices.oneIn(16)) {
      long from = network.now() + (long) choices.logUniform(MILLISECOND, 3 * SECOND);
      network.events().schedule(from, any -> cut(true), 0);
      network.events().schedule(from + random.nextLong(5 * SECOND), any -> cut(false), 0);
    }
    for (SimulatedHost host : List.of(client, server)) {
      if (host.changesTable()) {
        long at = network.now() + (long) choices.logUniform(MILLISECOND, SECOND);
        network.events().schedule(at, any -> steerAnew(host), 0);
      }
    }
    if (choices.oneIn(12)) {
      SimulatedHost victim = random.nextBoolean() ? client : server;
      long at = network.now() + (long) choices.logUniform(MILLISECOND, 10 * SECOND);
      network.events().schedule(at, any -> powerOff(victim), 0);
      if (random.nextBoolean()) {
        long again = at + random.nextLong(3 * SECOND);
        network.events().schedule(again, any -> powerOn(victim), 0);
      }
    }
  }

  private void scheduleFaultsOfIpv6() {
    if (ipv6Draws.nextBoolean()) {
      link.loseNeighbourMessages(ipv6Draws.nextDouble(MOST_NEIGHBOUR_LOSS));
    }
    if (ipv6Draws.nextBoolean()) {
      forger = new Forger(network, ipv6Draws.split(), violations, mtu, client, server, link);
      network.addListener(forger);
      long start = network.now() + (ipv6Draws.nextBoolean() ? 0 : SECOND);
      network.events().schedule(start, this::forgeOften, 1 << ipv6Draws.nextInt(8));
    }
  }

  /** Forges a message after some time, and then the others. */
  private void forgeOften(long left) {
    if (left > 0) {
      long pause = (long) Math.pow(10, 4 + ipv6Draws.nextDouble(5));
      network.events().schedule(network.now() + pause, this::forgeAndGoOn, left - 1);
    }
  }

  private void forgeAndGoOn(long left) {
    forger.forge();
    forgeOften(left);
  }

  private void narrow(int octets, boolean silently) {
    isMtuTold |= !silently;
    trace("the MTU falls to " + octets + (silently ? ", without an ICMP error" : ""));
    link.reduceMtu(Math.min(octets, mtu), silently);
  }

  private void steerAnew(SimulatedHost host) {
    trace("the card of " + host.address() + " steers by another table");
    host.steerAnew();
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
    if (forger != null) {
      forger.restarted(host);
    }
    host.powerOn(buffers.pool(host.pool().capacity(), mtu, host.pool().longCapacity() > 0));
    reportFailures(host);
    inhabitants.powerRestored(host);
  }

  /** Runs to the end, or to the first violation. */
  public void run(Scenario its) {
    inhabitants = its;
    supervise(0);
    run(its::isOver, network.now() + DAY, "after a day it is not over");
    if (violations.isEmpty()) {
      its.checkAtEnd();
      run(this::quiet, network.now() + AFTERMATH, "something is left behind");
    }
    if (forger != null && !isMtuTold && sum(counters -> counters.pathMtuLowered) > 0) {
      violations.add("a host believes a forged Packet Too Big");
    }
    if (violations.isEmpty()) {
      shelve(client);
      shelve(server);
    } else {
      trace("VIOLATED: " + violations.first());
    }
  }

  private void run(BooleanSupplier done, long until, String otherwise) {
    boolean came =
        network.run(() -> !violations.isEmpty() || tired() || done.getAsBoolean(), until);
    if (!came) {
      violations.add(otherwise + remains());
    }
  }

  /**
   * Whether there were so many events that the run will probably never end, which is a violation.
   */
  private boolean tired() {
    if (++events > MOST_EVENTS) {
      violations.add("no end after " + MOST_EVENTS + " events");
    }
    return events > MOST_EVENTS;
  }

  /** Checks every second whether there is progress. */
  private void supervise(long ignored) {
    inhabitants.supervise(network.now());
    client.scheduleTurn();
    server.scheduleTurn();
    long sum = inhabitants.progress();
    if (sum != progress) {
      progress = sum;
      progressAt = network.now();
    } else if (network.now() - progressAt > STALL && !inhabitants.isOver()) {
      violations.add("no progress for " + STALL / SECOND + " s");
    }
    network.events().schedule(network.now() + SECOND, this::supervise, 0);
  }

  /** Whether no frame is under way, no connection exists and every packet is back in its pool. */
  private boolean quiet() {
    return network.frames().used() == 0 && quiet(client) && quiet(server);
  }

  private static boolean quiet(SimulatedHost host) {
    return host.isOff()
        || (sum(host, TcpStack::connections) == 0
            && sum(host, TcpStack::packetsHeld) == 0
            && host.pool().available() == host.pool().capacity()
            && host.pool().longAvailable() == host.pool().longCapacity());
  }

  private String remains() {
    return String.format(
        ": %d frames, %s, %s", network.frames().used(), remains(client), remains(server));
  }

  private static String remains(SimulatedHost host) {
    return String.format(
        "%s has %d connections, holds %d packets and misses %d",
        host.address(),
        sum(host, TcpStack::connections),
        sum(host, TcpStack::packetsHeld),
        host.pool().capacity() - host.pool().available());
  }

  private void shelve(SimulatedHost host) {
    if (!host.isOff()) {
      host.stacks().forEach(TcpStack::close);
      host.card().close();
      buffers.giveBack(host.pool());
    }
  }

  /** Adds the counts of the network and of both stacks. */
  public void addTo(RunTotals totals) {
    NetworkCounters frames = network.counters();
    totals.add("dropped", frames.count(NetworkEvent.LOST) + frames.count(NetworkEvent.OVERFLOWED));
    totals.add("reordered", frames.count(NetworkEvent.REORDERED));
    totals.add("duplicated", frames.count(NetworkEvent.DUPLICATED));
    totals.add("corrupted", frames.count(NetworkEvent.CORRUPTED));
    totals.add("corrupted, checksum made right", frames.count(NetworkEvent.CORRUPTED_UNSEEN));
    totals.add("split by a middlebox", frames.count(NetworkEvent.SPLIT));
    totals.add("joined by a middlebox", frames.count(NetworkEvent.COALESCED));
    totals.add("fragmented by a middlebox", frames.count(NetworkEvent.FRAGMENTED));
    totals.add("put together from fragments", reassembled(client) + reassembled(server));
    totals.add("missed by a card", client.card().missed() + server.card().missed());
    totals.add("trains sent", sum(counters -> counters.trainsOut));
    totals.add("trains received", sum(counters -> counters.trainsIn));
    totals.add("cut by a card", client.card().cut() + server.card().cut());
    totals.add("merged by a card", client.card().merged() + server.card().merged());
    totals.add("too large for the path", frames.count(NetworkEvent.TOO_LARGE));
    totals.add("marked as having met congestion", frames.count(NetworkEvent.MARKED));
    totals.add("retransmitted", sum(counters -> counters.retransmitted));
    totals.add("timeouts", sum(counters -> counters.timeouts));
    totals.add("resets", sum(counters -> counters.resetsIn));
    totals.add("path MTUs learnt", sum(counters -> counters.pathMtuLowered));
    totals.add("black holes found", sum(counters -> counters.blackHoles));
    totals.add("keep-alives", sum(counters -> counters.keepAliveProbes));
    totals.add("given up without an answer", sum(counters -> counters.timedOut));
    totals.add("power failures", powerFailures);
    totals.add("hosts without IPv4", withoutIpv4);
    totals.add("neighbour messages lost", frames.count(NetworkEvent.NEIGHBOUR_LOST));
    for (Forgery each : Forgery.values()) {
      totals.add(each.words(), forger == null ? 0 : forger.count(each));
    }
    totals.add("handed over to another stack", handedOver(ip -> ip.handedOverIn));
    totals.add("dropped when handed over", handedOver(ip -> ip.handOversDropped));
  }

  private long handedOver(ToLongFunction<IpCounters> counter) {
    return sum(client, stack -> counter.applyAsLong(stack.ipCounters()))
        + sum(server, stack -> counter.applyAsLong(stack.ipCounters()));
  }

  private static long reassembled(SimulatedHost host) {
    return sum(host, stack -> stack.ipCounters().reassembled);
  }

  private static long sum(SimulatedHost host, ToLongFunction<TcpStack> figure) {
    long sum = 0;
    for (TcpStack stack : host.stacks()) {
      sum += figure.applyAsLong(stack);
    }
    return sum;
  }

  /** The sum of a counter of all stacks. */
  public long sum(ToLongFunction<TcpCounters> counter) {
    return sum(client, stack -> counter.applyAsLong(stack.counters()))
        + sum(server, stack -> counter.applyAsLong(stack.counters()));
  }
}
