package org.rddp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.client.Rddp;
import org.rddp.client.types.ListSubject;
import org.rddp.daemon.TestDaemon;

/**
 * Debian's programs for libibverbs and librdmacm, unmodified, between the two interfaces of a
 * daemon, and on one: rdmacm-utils, perftest and ibverbs-utils.
 */
@Timeout(120)
class ProgramsTest {
  private static final long DEADLINE_SECONDS = 40;
  private static final int ATTEMPTS = 5;

  @TempDir Path folder;

  private static Process start(
      TestDaemon daemon, String interfaceName, String command, Path output) throws IOException {
    return RdmaPrograms.start(daemon.socket(), interfaceName, command, output);
  }

  /** Waits for its end, and returns what it has printed. */
  private static String finish(Process process, Path output) throws Exception {
    boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly().waitFor();
    }
    String printed = Files.readString(output);
    assertThat(ended).as("ended within %s s; it printed: %s", DEADLINE_SECONDS, printed).isTrue();
    assertThat(process.exitValue()).as(printed).isZero();
    return printed;
  }

  private static void awaitListener(TestDaemon daemon, Process server) {
    try (Rddp session = daemon.connect("one")) {
      TestDaemon.await(
          () -> !server.isAlive() || !session.list(ListSubject.LISTENERS).isEmpty(),
          "the server listens");
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvFileSource(files = "test/programs.txt", delimiter = '|')
  void shouldRunBetweenTwoInterfaces(String serves, String connects, String prints)
      throws Exception {
    run("two", serves, connects, prints);
  }

  /** Both programs have the same address; 127.0.0.1 means it, too. */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rping -s -a 10.0.0.1 -C 200 -S 4000 | rping -c -a 10.0.0.1 -V -C 200 -S 4000 |
          rping -s -C 20 -S 65535             | rping -c -a 127.0.0.1 -V -C 20 -S 65535 |
          ib_write_lat -R -F -n 300           | ib_write_lat -R -F -n 300 10.0.0.1 | t_typical
          ib_read_bw -R -F -n 300             | ib_read_bw -R -F -n 300 10.0.0.1   | 65536
          """)
  void shouldRunOnOneInterface(String serves, String connects, String prints) throws Exception {
    run("one", serves, connects, prints);
  }

  private void run(String serverInterface, String serves, String connects, String prints)
      throws Exception {
    String both = prints == null ? "" : prints;
    assumeTrue(
        Files.exists(RdmaPrograms.LIBRARY), "built where libibverbs-dev and librdmacm-dev are");
    try (TestDaemon daemon = new TestDaemon()) {
      int attempts = 1;
      while (!ran(daemon, serverInterface, serves, connects, both)) {
        assertThat(attempts++).as("attempts in which the server listened").isLessThan(ATTEMPTS);
      }
    }
  }

  /**
   * Runs both programs. perftest's server listens a second time after the first connection, and its
   * client does not wait for that.
   *
   * @return false if the client was too early
   */
  private boolean ran(
      TestDaemon daemon, String serverInterface, String serves, String connects, String prints)
      throws Exception {
    Path served = folder.resolve("server");
    Path connected = folder.resolve("client");
    Process server = start(daemon, serverInterface, serves, served);
    try {
      awaitListener(daemon, server);
      Process client = start(daemon, "one", connects, connected);
      if (client.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)
          && client.exitValue() != 0
          && Files.readString(connected).contains("no program listens at that port")) {
        return false;
      }
      assertThat(finish(client, connected)).doesNotContain("data mismatch").contains(prints);
      assertThat(finish(server, served)).doesNotContain("data mismatch").contains(prints);
      return true;
    } finally {
      server.destroyForcibly().waitFor();
    }
  }
}
