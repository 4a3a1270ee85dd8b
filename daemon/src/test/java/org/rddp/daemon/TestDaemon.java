package org.rddp.daemon;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.ipc.Counters;

/**
 * A whole daemon in the test's process: two interfaces, {@code one} and {@code two}, joined by a
 * link in the engine's thread; real sockets, shared memory and clients.
 */
public final class TestDaemon implements AutoCloseable {
  static final String ADDRESS_ONE = "10.0.0.1";
  static final String ADDRESS_TWO = "10.0.0.2";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Path directory;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final LoopedPorts ports = new LoopedPorts(4096);
  private final Daemon daemon;

  /** With nothing but the interfaces. */
  public TestDaemon() {
    this("");
  }

  /** With further tables in front of the interfaces. */
  TestDaemon(String tables) {
    this(tables, "");
  }

  /** With further tables, and further lines about MPA for both interfaces. */
  TestDaemon(String tables, String mpa) {
    try {
      directory = Files.createTempDirectory("rddp-test");
      String text =
          """
          [control]
          socket = "%s"
          %s
          [[interface]]
          name = "one"
          device = "ring:x"
          address = "10.0.0.1/24"
          [interface.mpa]
          startup-timeout = "3s"
          %s
          [[interface]]
          name = "two"
          device = "ring:x"
          address = "10.0.0.2/24"
          [interface.mpa]
          startup-timeout = "3s"
          %s
          """
              .formatted(socket(), tables, mpa, mpa);
      PrintStream out = new PrintStream(log, true, StandardCharsets.UTF_8);
      daemon = Daemon.start(ConfigurationFile.parse("test", text), ports, out);
    } catch (IOException | ConfigurationException e) {
      throw new AssertionError(e);
    }
  }

  /** Where programs reach it. */
  public Path socket() {
    return directory.resolve("rddpd.sock");
  }

  Rddp connect(String interfaceName) {
    return Rddp.connect(
        socket(), RddpOptions.defaults().withInterfaceName(interfaceName).withProgramName("test"));
  }

  String log() {
    return log.toString(StandardCharsets.UTF_8);
  }

  Daemon daemon() {
    return daemon;
  }

  int packetsOut() {
    return ports.packetsOut();
  }

  /** The counters, as another process sees them. */
  static Map<String, Long> counters(Rddp session) throws IOException {
    Map<String, Long> values = new HashMap<>();
    try (Counters counters = session.openCounters()) {
      counters.forEach(values::put);
    }
    return values;
  }

  /** Waits until something holds, which it must in the end. */
  static void await(BooleanSupplier condition, String what) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("still waiting until " + what);
      }
      LockSupport.parkNanos(100_000);
    }
  }

  @Override
  public void close() {
    daemon.close();
    try {
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      throw new AssertionError("something is left in " + directory, e);
    }
  }
}
