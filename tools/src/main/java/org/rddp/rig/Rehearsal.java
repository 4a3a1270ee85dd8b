package org.rddp.rig;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;

/**
 * A daemon, and programs that use it in every way, in one process and over rings in its own memory:
 * the JVM that runs it records which classes a daemon loads and which methods become hot, for a
 * cache that later daemons start with ({@code bin/setup/archive}). It touches no network device and
 * needs no huge pages.
 */
public final class Rehearsal {
  private static final int PORT = 7;
  private static final int MEBIBYTES = 256;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int OUTSTANDING = 16;

  /** Lengths in octets, and how many of them make one round for each kind of message. */
  private static final int[] LENGTHS = {64, 1024, 16 << 10, 64 << 10, 256 << 10};

  private static final int[] COUNTS = {400, 100, 40, 20, 5};
  private static final int LONGEST = LENGTHS[LENGTHS.length - 1];

  /**
   * Rounds over all kinds and lengths: HotSpot's last compiler takes a method after 5000 calls, or
   * 40,000 turns of a loop.
   */
  private static final int ROUNDS = 10;

  /** A ring between two interfaces, and how it differs from others. */
  private record Link(String name, int mtu, boolean encrypted, boolean markers, int network) {
    String address(int end) {
      return "10.%d.0.%d".formatted(network, end + 1);
    }

    String end(int end) {
      return name + "-" + end;
    }
  }

  private static final List<Link> LINKS =
      List.of(
          new Link("short", 1500, false, false, 1),
          new Link("long", 9000, false, false, 2),
          new Link("esp", 1500, true, false, 3),
          new Link("markers", 1500, false, true, 4));

  private Rehearsal() {}

  /**
   * Rehearses, and ends the process.
   *
   * @param arguments none
   */
  public static void main(String[] arguments)
      throws ConfigurationException, IOException, InterruptedException {
    try (TemporaryFolder folder = new TemporaryFolder("rddp-rehearsal")) {
      rehearse(folder.resolve("rddpd.sock"), ROUNDS);
    }
    System.exit(0);
  }

  /** Uses a daemon with this control socket for some rounds. */
  static void rehearse(Path socket, int rounds)
      throws ConfigurationException, IOException, InterruptedException {
    Configuration configuration = configuration(socket).parse("rehearsal");
    Daemon daemon = Daemon.start(configuration, DpdkPorts.open(configuration), System.err);
    List<Traffic> all = new ArrayList<>();
    try {
      for (Link link : LINKS) {
        all.add(new Traffic(link, socket));
      }
      for (int round = 0; round < rounds; round++) {
        for (Traffic each : all) {
          each.round();
        }
      }
    } finally {
      all.forEach(Traffic::close);
      daemon.close();
    }
  }

  private static ConfigurationText configuration(Path socket) {
    ConfigurationText text =
        new ConfigurationText().control(socket).dpdk(MEBIBYTES, false, "error");
    text.table("[limits]", "user-share", 100, "process-share", 100);
    for (Link link : LINKS) {
      for (int end = 0; end < 2; end++) {
        text.port(
            link.end(end),
            "ring:" + link.name(),
            link.address(end) + "/24",
            "mtu",
            link.mtu(),
            "packets",
            2048);
        if (link.encrypted()) {
          text.table("[interface.ipsec]", "default", "require");
        }
        text.table("[interface.mpa]", "markers", link.markers());
      }
    }
    return text;
  }

  /** Two programs of this thread at the ends of a link. */
  private static final class Traffic implements AutoCloseable {
    private final Rddp near;
    private final Rddp far;
    private final Connection connection;
    private final ProgramPair pair;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private long completed;

    Traffic(Link link, Path socket) {
      near = session(socket, link.end(0));
      far = session(socket, link.end(1));
      if (link.encrypted()) {
        Associations.add(near, link.address(0), far, link.address(1));
      }
      try (Listener listener = far.listen(PORT)) {
        CompletableFuture<Connection> accepted =
            CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept(PrivateData.NONE));
        InetSocketAddress address = new InetSocketAddress(link.address(1), PORT);
        connection = near.connect(address, PrivateData.NONE, TIMEOUT);
        pair = new ProgramPair(near, far, LONGEST, new WaitStrategy(true));
        pair.use(connection, accepted.join());
      }
      source = near.allocate(LONGEST);
      sink = far.allocate(LONGEST, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }

    private static Rddp session(Path socket, String name) {
      return Rddp.connect(
          socket,
          RddpOptions.defaults()
              .withInterfaceName(name)
              .withProgramName("rehearsal")
              .withRequestTimeout(TIMEOUT));
    }

    /** To and fro with each kind of message and each length, and then several outstanding. */
    void round() throws IOException {
      for (int i = 0; i < LENGTHS.length; i++) {
        for (ProgramPair.Verb verb : ProgramPair.Verb.values()) {
          pair.prepare(verb, LENGTHS[i]);
          for (int trip = 1; trip <= COUNTS[i]; trip++) {
            pair.run(trip);
          }
        }
        stream(LENGTHS[i], 2 * COUNTS[i]);
      }
    }

    private void stream(int octets, int writes) throws IOException {
      long end = completed + writes;
      WaitStrategy waiting = new WaitStrategy(true);
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

    @Override
    public void close() {
      near.close();
      far.close();
    }
  }
}
