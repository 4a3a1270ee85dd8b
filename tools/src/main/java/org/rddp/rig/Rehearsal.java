package org.rddp.rig;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.ArrivingDaemon;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.replacement.ReplacementException;
import org.rddp.daemon.replacement.Successor;

/**
 * A daemon, programs that use it in every way, and another daemon that takes its place, in one
 * process and over rings in its own memory. It touches no network device and needs no huge pages.
 *
 * <p>A JVM of its own records which classes a daemon loads and which methods become hot, for a
 * cache that later daemons start with ({@code bin/setup/archive}). A process that is to take a
 * daemon's place runs its code for the first time here, and not while nobody serves the programs.
 */
public final class Rehearsal {
  /** Unprivileged, since a daemon of a service may not open others. */
  private static final int PORT = 7471;

  private static final int MEBIBYTES = 512;

  /** Longest wait for an answer, so that a rehearsal without descriptors ends. */
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private static final int OUTSTANDING = 16;
  private static final int PACKETS = 1024;

  /**
   * Memory for held messages, of which there are none: that of each daemon stays mapped until the
   * garbage collector runs, and the process may have little.
   */
  private static final String HELD = "1MiB";

  /** Lengths in octets, and how many of them make one round for each kind of message. */
  private static final int[] LENGTHS = {64, 1024, 16 << 10, 64 << 10, 256 << 10};

  private static final int[] COUNTS = {400, 100, 40, 20, 5};
  private static final int LONGEST = LENGTHS[LENGTHS.length - 1];

  /** Messages of a round before which an engine sleeps. */
  private static final int SLEEPS = 150;

  /** Time in ns before such a message: an engine polls for 50 us, and then sleeps. */
  private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(200);

  /**
   * Rounds over all kinds and lengths: HotSpot's last compiler takes a method after 5000 calls, or
   * 40,000 turns of a loop. They are for each replacement.
   */
  private static final int ROUNDS = 3;

  /** The rounds of a process before its daemon serves programs. */
  private static final int FEW_ROUNDS = 2;

  /** Replacements, with rounds of traffic before each. */
  private static final int REPLACEMENTS = 4;

  /** All replacements of a process whose daemon takes part in one; the others without traffic. */
  private static final int MORE_REPLACEMENTS = 16;

  /** Time in ns after which it ends, on a busy machine: the old daemon waits for 2 minutes. */
  private static final long LONGEST_TIME = TimeUnit.SECONDS.toNanos(20);

  /** Likewise for the daemon that runs, in ns; the other one waits no longer than 20 s for it. */
  private static final long SHORT_TIME = TimeUnit.SECONDS.toNanos(8);

  /**
   * Compilers that have compiled nothing for such a time have nothing to do; and the time of each
   * wait, after which a rehearsal may end.
   */
  private static final Duration QUIET = Duration.ofMillis(200);

  /** The longest frame on a link by sockets, which carries trains as {@code linux:} does. */
  private static final int LONGEST_FRAME = 65000;

  /** That on a ring: it carries trains, too. */
  private static final int LONGEST_ON_RINGS = 16384;

  private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

  /** A ring between two interfaces, and how it differs from others. */
  private record Link(String name, int mtu, boolean encrypted, boolean markers, int network) {
    String address(int end) {
      return "10.%d.0.%d".formatted(network, end + 1);
    }

    String end(int end) {
      return name + "-" + end;
    }
  }

  private static final Link PLAIN = new Link("short", 1500, false, false, 1);
  private static final Link ENCRYPTED = new Link("esp", 1500, true, false, 3);
  private static final List<Link> LINKS =
      List.of(
          PLAIN,
          new Link("long", 9000, false, false, 2),
          ENCRYPTED,
          new Link("markers", 1500, false, true, 4));

  /** Says when a rehearsal is over, whatever is left of it. */
  private record Limit(long end, BooleanSupplier stops) {
    static Limit of(long nanos, BooleanSupplier stops) {
      return new Limit(System.nanoTime() + nanos, stops);
    }

    boolean isReached() {
      return System.nanoTime() >= end || stops.getAsBoolean();
    }
  }

  private Rehearsal() {}

  /**
   * Rehearses, and ends the process.
   *
   * @param arguments none
   */
  public static void main(String[] arguments)
      throws ConfigurationException, IOException, InterruptedException {
    // DPDK ends with the first ports, so these are nobody's.
    Configuration first = configuration(Path.of("/none"), List.of(PLAIN), false, "none");
    try (DpdkPorts _ = DpdkPorts.open(first)) {
      Limit none = Limit.of(TimeUnit.DAYS.toNanos(1), () -> false);
      rehearse(LINKS, false, ROUNDS, REPLACEMENTS, none);
      rehearse(List.of(PLAIN), true, ROUNDS, 1, none);
    }
    System.exit(0);
  }

  /**
   * Rehearses in a process that has started DPDK and whose daemon does not serve programs yet.
   * Takes seconds.
   *
   * @param own what the daemon will do: the rehearsal has ESP and the kind of device that it has
   * @param stops whether it is to end soon, since nobody needs it any more
   * @return how often a daemon has taken another one's place; 0 where memory cannot go over
   * @throws IOException if that is not possible here
   */
  public static int ofStart(Configuration own, BooleanSupplier stops)
      throws IOException, InterruptedException {
    Limit limit = Limit.of(LONGEST_TIME, stops);
    int replaced = rehearse(own, FEW_ROUNDS, limit);
    // Otherwise HotSpot would compile, and collect what this leaves, while engines work.
    while (!limit.isReached() && !Daemon.awaitWarmUp(QUIET)) {
      // The limit may be reached meanwhile.
    }
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    if (compilers != null) {
      awaitCompilers(compilers, limit);
    }
    if (!stops.getAsBoolean()) {
      System.gc();
    }
    return replaced;
  }

  private static void awaitCompilers(CompilationMXBean compilers, Limit limit)
      throws InterruptedException {
    long before = -1;
    long now = compilers.getTotalCompilationTime();
    while (now != before && !limit.isReached()) {
      Thread.sleep(QUIET);
      before = now;
      now = compilers.getTotalCompilationTime();
    }
  }

  /**
   * Rehearses in the process of a daemon whose place another one takes, beside its engines.
   *
   * @param own what the daemon does
   * @param stops as for {@link #ofStart}
   * @return as {@link #ofStart}
   * @throws IOException if that is not possible here
   */
  public static int ofEnd(Configuration own, BooleanSupplier stops)
      throws IOException, InterruptedException {
    return rehearse(own, 0, Limit.of(SHORT_TIME, stops));
  }

  private static int rehearse(Configuration own, int rounds, Limit limit)
      throws IOException, InterruptedException {
    boolean encrypted = own.interfaces().stream().anyMatch(each -> each.ipsec().isPresent());
    boolean sockets = own.interfaces().stream().anyMatch(each -> each.usesPacketSockets());
    List<Link> links = encrypted ? List.of(PLAIN, ENCRYPTED) : List.of(PLAIN);
    try {
      return rehearse(links, sockets, rounds, MORE_REPLACEMENTS, limit);
    } catch (ConfigurationException | RuntimeException e) {
      throw new IOException("no rehearsal: " + e.getMessage(), e);
    } catch (Error e) {
      // No memory for a thread, for example. The daemon needs fewer than a rehearsal.
      throw new IOException("no rehearsal: " + e, e);
    }
  }

  /**
   * Rehearses.
   *
   * @param sockets whether links are pairs of sockets instead of rings: HotSpot's code for the one
   *     kind of device is not good for the other
   * @param rounds of traffic at the most, before each of the first replacements
   * @param replacements at the most
   * @param limit after which no round begins, and no replacement without traffic; none at all if it
   *     stops
   */
  private static int rehearse(
      List<Link> links, boolean sockets, int rounds, int replacements, Limit limit)
      throws ConfigurationException, IOException, InterruptedException {
    List<Traffic> all = new ArrayList<>();
    List<Rddp> sessions = new ArrayList<>();
    int replaced = 0;
    try (TemporaryFolder folder = new TemporaryFolder("rddp-rehearsal")) {
      Path socket = folder.resolve("rddpd.sock");
      Configuration first = configuration(socket, links, sockets, "first");
      DpdkPorts ports = DpdkPorts.openMore(first, sockets);
      Daemon daemon = Daemon.start(first, Daemon.bind(first), ports, NOWHERE, Map.of());
      try {
        for (Link link : links) {
          all.add(new Traffic(link, socket, sessions));
        }
        Configuration second = configuration(socket, links, sockets, "second");
        for (int i = 0; i < replacements; i++) {
          if (limit.stops.getAsBoolean() || (i >= REPLACEMENTS && limit.isReached())) {
            break;
          }
          if (i < REPLACEMENTS) {
            run(all, rounds, limit);
          }
          if (replaced == i) {
            Daemon next = replace(daemon, i % 2 == 0 ? second : first, sockets);
            replaced += next == daemon ? 0 : 1;
            daemon = next;
          }
        }
      } finally {
        sessions.forEach(Rddp::close);
        daemon.close();
      }
    }
    return replaced;
  }

  /** Returns the daemon that serves the programs: the same one, where memory cannot go over. */
  private static Daemon replace(Daemon daemon, Configuration configuration, boolean sockets) {
    ArrivingDaemon next =
        new ArrivingDaemon(
            configuration, () -> DpdkPorts.openMore(configuration, sockets), NOWHERE, Map.of());
    try {
      new Successor(configuration.controlSocket(), next).takeOver();
      daemon.close();
      return next.daemon();
    } catch (ReplacementException refused) {
      return daemon;
    }
  }

  private static void run(List<Traffic> all, int rounds, Limit limit) throws IOException {
    for (int round = 0; round < rounds && !limit.isReached(); round++) {
      for (Traffic each : all) {
        each.round();
      }
    }
  }

  /** A daemon's configuration; those with other names have other rings between the same ends. */
  private static Configuration configuration(
      Path socket, List<Link> links, boolean sockets, String name) throws ConfigurationException {
    ConfigurationText text =
        new ConfigurationText().control(socket).dpdk(MEBIBYTES, false, "error");
    // The engines that serve programs come first.
    text.table("[engine]", "priority", "nice 1");
    text.table("[limits]", "user-share", 100, "process-share", 100);
    for (Link link : links) {
      for (int end = 0; end < 2; end++) {
        text.port(
            link.end(end),
            "ring:" + link.name() + name,
            link.address(end) + "/24",
            "mtu",
            link.mtu(),
            "packets",
            PACKETS,
            "longest-frame",
            sockets ? LONGEST_FRAME : LONGEST_ON_RINGS,
            "hold-memory",
            HELD);
        if (link.encrypted()) {
          text.table("[interface.ipsec]", "default", "require");
        }
        text.table("[interface.mpa]", "markers", link.markers());
      }
    }
    return text.parse("rehearsal");
  }

  /** Two programs of this thread at the ends of a link. */
  private static final class Traffic {
    private final Rddp near;
    private final Rddp far;
    private final InetSocketAddress address;
    private final Listener listener;
    private final Connection connection;
    private final ProgramPair pair;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private long completed;

    /**
     * Begins.
     *
     * @param sessions to which it adds its own, also if it fails
     */
    Traffic(Link link, Path socket, List<Rddp> sessions) {
      near = session(socket, link.end(0));
      sessions.add(near);
      far = session(socket, link.end(1));
      sessions.add(far);
      if (link.encrypted()) {
        Associations.add(near, link.address(0), far, link.address(1));
      }
      address = new InetSocketAddress(link.address(1), PORT);
      listener = far.listen(PORT);
      CompletableFuture<Connection> accepted = accept();
      connection = connect();
      pair = new ProgramPair(near, far, LONGEST, WaitStrategy.yielding(near));
      pair.use(connection, accepted.join());
      source = near.allocate(LONGEST, Access.LOCAL_WRITE);
      sink = far.allocate(LONGEST, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
    }

    private CompletableFuture<Connection> accept() {
      return CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept(PrivateData.NONE));
    }

    private Connection connect() {
      return near.connect(address, PrivateData.NONE, TIMEOUT);
    }

    private static Rddp session(Path socket, String name) {
      return Rddp.connect(
          socket,
          RddpOptions.defaults()
              .withInterfaceName(name)
              .withProgramName("rehearsal")
              .withRequestTimeout(TIMEOUT));
    }

    /**
     * To and fro with each kind of message and each length, and then several outstanding; at last
     * an engine that sleeps between two messages, and a program that waits in a call.
     */
    void round() throws IOException {
      for (int i = 0; i < LENGTHS.length; i++) {
        useAnother();
        for (ProgramPair.Verb verb : ProgramPair.Verb.values()) {
          pair.prepare(verb, LENGTHS[i]);
          for (int trip = 1; trip <= COUNTS[i]; trip++) {
            pair.run(trip);
          }
        }
        stream(LENGTHS[i], 2 * COUNTS[i]);
      }
      for (int i = 0; i < SLEEPS; i++) {
        LockSupport.parkNanos(PAUSE);
        connection.blocking().read(source, 0, LENGTHS[0], sink.stag(), sink.baseTo(), TIMEOUT);
      }
    }

    /**
     * Opens another connection, uses it once and closes it. HotSpot's code for a connection that
     * has long been open leaves out what happens at the beginning and the end of one, and is thrown
     * away when that comes; so it comes between.
     */
    private void useAnother() throws IOException {
      CompletableFuture<Connection> accepted = accept();
      try (Connection ours = connect();
          Connection theirs = accepted.join()) {
        ours.blocking().write(source, 0, LENGTHS[0], sink.stag(), sink.baseTo(), TIMEOUT);
        ours.disconnect();
        theirs.disconnect();
      }
    }

    private void stream(int octets, int writes) throws IOException {
      long end = completed + writes;
      WaitStrategy waiting = WaitStrategy.yielding(near);
      for (int posted = 0; completed < end; ) {
        waiting.reset();
        while (posted < writes
            && connection.postWrite(0, source, 0, octets, sink.stag(), sink.baseTo())) {
          posted++;
        }
        while (near.poll(this::complete, OUTSTANDING) == 0) {
          waiting.idle();
        }
      }
    }

    private void complete(Completion completion) {
      if (!completion.isSuccess()) {
        throw new IllegalStateException("a Write failed: " + completion);
      }
      completed++;
    }
  }
}
