package org.rddp.bench.layout;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Json;
import org.rddp.bench.link.LinkHandle;
import org.rddp.client.CounterReader;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.dpdk.DpdkException;
import org.rddp.rig.Affinity;
import org.rddp.rig.Associations;
import org.rddp.rig.ConfigurationText;
import org.rddp.rig.TemporaryFolder;
import org.rddp.rig.WrappedPorts;

/**
 * The layout for two cores: a daemon in this process whose two interfaces are joined, both engines
 * on one pinned thread, and two programs for the thread that opened it, pinned to another core.
 */
public final class OneDaemon implements ProgramEnds {
  private static final String ENGINE = "rddp-engine";
  private static final String IPSEC = "ipsec";
  private static final String REQUIRE = "require";

  private final TemporaryFolder folder = new TemporaryFolder("rddp-bench");
  private final Path socket = folder.resolve("rddpd.sock");
  private final Daemon daemon;
  private final Rddp near;
  private final Rddp far;

  private OneDaemon(LinkHandle link, UnaryOperator<ConfigurationText> text)
      throws CannotRunException, IOException {
    try {
      Configuration configuration =
          text.apply(new ConfigurationText().control(socket)).parse("bench");
      WrappedPorts ports =
          WrappedPorts.pinned(DpdkPorts.open(configuration, each -> enter(link, each)), Cpus.far());
      daemon = Daemon.start(configuration, ports, System.err);
      near = session(socket, JoinedInterfaces.NEAR);
      far = session(socket, JoinedInterfaces.FAR);
    } catch (DpdkException | ConfigurationException e) {
      throw new CannotRunException(e.getMessage());
    }
    Affinity.pin(Cpus.near());
  }

  private static void enter(LinkHandle link, InterfaceConfiguration opened) {
    if (link != null) {
      link.enter(opened.name().equals(JoinedInterfaces.NEAR));
    }
  }

  /**
   * For round trips: interfaces with the daemon's own settings.
   *
   * @param mtu of the rings that join them
   * @throws CannotRunException when DPDK cannot be started
   */
  public static OneDaemon forRoundTrips(int mtu) throws CannotRunException, IOException {
    return forRoundTrips(mtu, "spin");
  }

  /**
   * Starts a daemon whose engines idle in a given way.
   *
   * @param mtu of the rings that join them
   * @param idle as in the configuration
   * @throws CannotRunException when DPDK cannot be started
   */
  public static OneDaemon forRoundTrips(int mtu, String idle)
      throws CannotRunException, IOException {
    return new OneDaemon(
        null,
        text -> JoinedInterfaces.addRings(text.dpdk(128).idle(idle), "mtu", mtu, "packets", 8192));
  }

  /**
   * For streams and many connections.
   *
   * @param arguments a rig's: mtu (1500), crc (true), trains (true), markers and packing (false),
   *     connections (16), idle (spin), ecn (true); as the daemon has it without: priority of the
   *     engine, congestion, minimum-timeout, peer-acknowledgment-delay; ipsec, the policy of both
   *     interfaces for everything: with {@code require} they are associated; a {@link LinkHandle}
   *     where a link joins the interfaces instead of rings
   * @throws CannotRunException when DPDK cannot be started
   */
  public static OneDaemon forStreams(JsonObject arguments) throws CannotRunException, IOException {
    LinkHandle link = LinkHandle.isIn(arguments) ? LinkHandle.of(arguments) : null;
    int connections = Math.max(16, Json.integer(arguments, "connections", 16));
    OneDaemon daemon =
        new OneDaemon(
            link,
            text -> {
              text.dpdk(192).idle(word(arguments, "idle", "spin"));
              addIfGiven(text, arguments, "priority");
              text.table(
                  "[limits]",
                  // One process has the programs of both ends.
                  "user-share",
                  100,
                  "process-share",
                  100,
                  "session-connections",
                  connections,
                  "send-queue",
                  256,
                  "requests",
                  1024,
                  "completions",
                  1024);
              for (String name : new String[] {JoinedInterfaces.NEAR, JoinedInterfaces.FAR}) {
                addInterface(text, name, link != null, connections, arguments);
              }
              return text;
            });
    if (ipsec(arguments).equals(REQUIRE)) {
      Associations.add(
          daemon.near, JoinedInterfaces.nearAddress(), daemon.far, JoinedInterfaces.farAddress());
    }
    return daemon;
  }

  private static String ipsec(JsonObject arguments) {
    return word(arguments, IPSEC, "");
  }

  /** Adds settings that are arguments, too, to the table that was added last. */
  private static void addIfGiven(ConfigurationText text, JsonObject arguments, String... keys) {
    for (String key : keys) {
      if (arguments.has(key)) {
        text.toml("%s = \"%s\"\n".formatted(key, arguments.get(key).getAsString()));
      }
    }
  }

  private static String word(JsonObject arguments, String key, String otherwise) {
    return arguments.has(key) ? arguments.get(key).getAsString() : otherwise;
  }

  private static void addInterface(
      ConfigurationText text, String name, boolean linked, int connections, JsonObject arguments) {
    int most = 2 * connections;
    int mtu = Json.integer(arguments, "mtu", 1500);
    JoinedInterfaces.add(
        text,
        name,
        linked ? LinkHandle.device(name) : "ring:bench",
        "mtu",
        mtu,
        "packets",
        linked ? 8192 : 4096,
        "connections",
        most);
    if (!Json.flag(arguments, "trains", true)) {
      text.toml("longest-frame = " + mtu + "\n");
    }
    if (!ipsec(arguments).isEmpty()) {
      text.table("[interface.ipsec]", "default", ipsec(arguments));
    }
    text.table(
        "[interface.tcp]",
        "peer-connections",
        most,
        "backlog",
        4096,
        "peer-backlog",
        4096,
        "receive-buffer",
        linked ? "4MiB" : "1MiB",
        "ecn",
        Json.flag(arguments, "ecn", true));
    addIfGiven(text, arguments, "congestion", "minimum-timeout", "peer-acknowledgment-delay");
    text.table(
        "[interface.mpa]",
        "revision",
        2,
        "crc",
        Json.flag(arguments, "crc", true),
        "markers",
        Json.flag(arguments, "markers", false),
        "packing",
        Json.flag(arguments, "packing", false),
        "startups",
        4096);
  }

  /** A program's session on an interface. */
  static Rddp session(Path socket, String name) {
    return Rddp.connect(
        socket, RddpOptions.defaults().withInterfaceName(name).withProgramName("bench"));
  }

  /** The daemon's control socket, for programs in processes of their own. */
  public Path socket() {
    return socket;
  }

  @Override
  public Rddp near() {
    return near;
  }

  @Override
  public Rddp far() {
    return far;
  }

  /** The daemon's counters by name. */
  public Map<String, Long> counters() throws IOException {
    Map<String, Long> values = new HashMap<>();
    try (CounterReader counters = near.openCounters()) {
      counters.forEach(values::put);
    }
    return values;
  }

  /** The id of the engines' thread. */
  public long engineThread() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().equals(ENGINE))
        .findFirst()
        .orElseThrow()
        .threadId();
  }

  @Override
  public void close() throws IOException {
    near.close();
    far.close();
    daemon.close();
    folder.close();
  }
}
