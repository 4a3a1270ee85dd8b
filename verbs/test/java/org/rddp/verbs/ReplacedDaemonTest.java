package org.rddp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.ListSubject;
import org.rddp.daemon.ReplacedDaemon;
import org.rddp.daemon.TestDaemon;

/**
 * Debian's programs, unmodified, go on while daemons in processes of their own take each other's
 * place: {@code -Drddp.replacements=N} times.
 */
@Timeout(300)
class ReplacedDaemonTest {
  private static final int ATTEMPTS = 6;
  private static final int REPLACEMENTS = Integer.getInteger("rddp.replacements", 1);
  private static final int MORE_MESSAGES = 100;
  private static final long DEADLINE_SECONDS = 100;
  private static final Pattern SENT = Pattern.compile("\"sent_messages\": ?([0-9]+)");

  @TempDir Path folder;

  private Rddp observer;
  private Process server;
  private Process client;

  /** So many that the daemon can be replaced meanwhile. */
  private int count = 4_000;

  /**
   * COUNT is how many messages they exchange. PORT is a free one of the kernel's, for those that connect by number.
   */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rping -s -a 10.0.0.2 -S 4000 -C COUNT      | rping -c -a 10.0.0.2 -V -S 4000 -C COUNT
          ib_write_bw -R -F -n COUNT                 | ib_write_bw -R -F -n COUNT 10.0.0.2
          ibv_rc_pingpong -g 0 -c -p PORT -n COUNT   | ibv_rc_pingpong -g 0 -c -p PORT -n COUNT localhost
          ibv_srq_pingpong -g 0 -e -p PORT -n COUNT  | ibv_srq_pingpong -g 0 -e -p PORT -n COUNT localhost
          """)
  void shouldGoOn(String serves, String connects) throws Exception {
    assumeTrue(
        Files.exists(RdmaPrograms.LIBRARY), "built where libibverbs-dev and librdmacm-dev are");
    try (ReplacedDaemon daemon = ReplacedDaemon.start(folder);
        Rddp session = connect()) {
      observer = session;
      int attempts = 1;
      while (!goesOn(daemon, serves, connects)) {
        assertThat(attempts++).as("attempts in which they have ended early").isLessThan(ATTEMPTS);
      }
    }
  }

  private Rddp connect() {
    return Rddp.connect(
        ReplacedDaemon.socket(folder), RddpOptions.defaults().withInterfaceName("one"));
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0)) {
      return any.getLocalPort();
    }
  }

  /** Whether a program listens at a port of the kernel's, of any address. */
  private static boolean listensAt(int port) {
    String entry = ":%04X [0-9A-F]+:0000 0A ".formatted(port);
    return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
        .map(Path::of)
        .filter(Files::exists)
        .anyMatch(table -> Pattern.compile(entry).matcher(text(table)).find());
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Messages that connections have sent. */
  private long sent() {
    long sent = 0;
    for (String line : observer.list(ListSubject.CONNECTIONS)) {
      Matcher matcher = SENT.matcher(line);
      sent += matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }
    return sent;
  }

  /** Waits, unless a program ends before; returns whether both still run. */
  private boolean await(BooleanSupplier condition, String what) {
    TestDaemon.await(
        () -> !server.isAlive() || (client != null && !client.isAlive()) || condition.getAsBoolean(),
        what);
    return server.isAlive() && (client == null || client.isAlive());
  }

  private boolean awaitMessages() {
    long before = sent();
    return await(() -> sent() >= before + MORE_MESSAGES, "messages are sent");
  }

  /**
   * Runs both programs, and replaces the daemon meanwhile.
   *
   * @return false if they have ended before it was replaced so often
   */
  private boolean goesOn(ReplacedDaemon daemon, String serves, String connects) throws Exception {
    int port = freePort();
    Path socket = ReplacedDaemon.socket(folder);
    Path served = folder.resolve("server");
    Path connected = folder.resolve("client");
    client = null;
    server = RdmaPrograms.start(socket, "two", command(serves, port), served);
    try {
      boolean byNumber = serves.contains("PORT");
      await(
          () -> byNumber ? listensAt(port) : !observer.list(ListSubject.LISTENERS).isEmpty(),
          "the server listens");
      client = RdmaPrograms.start(socket, "one", command(connects, port), connected);
      boolean running = awaitMessages();
      for (int i = 0; i < REPLACEMENTS && running; i++) {
        daemon.replace();
        running = awaitMessages();
      }
      boolean refused = finish(client, connected) != 0 && text(connected).contains("no program");
      if (refused) {
        // perftest's server was not ready for the second connection.
        return false;
      }
      assertThat(client.exitValue()).as(text(connected)).isZero();
      assertThat(finish(server, served)).as(text(served)).isZero();
      assertThat(text(served) + text(connected)).doesNotContain("mismatch", "invalid data");
      count = running ? count : 4 * count;
      return running;
    } finally {
      server.destroyForcibly().waitFor();
      if (client != null) {
        client.destroyForcibly().waitFor();
      }
    }
  }

  private String command(String command, int port) {
    return command
        .replace("COUNT", Integer.toString(count))
        .replace("PORT", Integer.toString(port));
  }

  private static int finish(Process process, Path output) throws Exception {
    boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertThat(ended).as("ended; it printed: %s", text(output)).isTrue();
    return process.exitValue();
  }
}
