package org.rddp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.ListSubject;
import org.rddp.daemon.DaemonProcess;
import org.rddp.daemon.TestDaemon;

/**
 * Kills one of two unmodified programs, or the daemon, at any moment of their run: who is left ends
 * by itself, and the daemon keeps nothing of them. {@code -Drddp.kills=N} does it N times, {@code
 * -Drddp.seed=N} at other moments.
 */
class KillsTest {
  private static final int KILLS = Integer.getInteger("rddp.kills", 8);
  private static final long SEED = Long.getLong("rddp.seed", 1);
  private static final long DEADLINE_SECONDS = 40;
  private static final int LATEST_MILLIS = 1500;
  private static final List<String> SERVERS =
      List.of("rping -s -a 10.0.0.2 -S 4000", "ib_write_bw -R -F -D 60");
  private static final List<String> CLIENTS =
      List.of("rping -c -a 10.0.0.2 -V -S 4000", "ib_write_bw -R -F -D 60 10.0.0.2");

  private enum Victim {
    SERVER,
    CLIENT,
    DAEMON
  }

  @TempDir Path folder;

  private final Random random = new Random(SEED);
  private DaemonProcess daemon;
  private Rddp observer;
  private long kept;

  @BeforeEach
  void startDaemon() throws IOException {
    assumeTrue(
        Files.exists(RdmaPrograms.LIBRARY), "built where libibverbs-dev and librdmacm-dev are");
    daemon = DaemonProcess.start(folder);
    observer =
        Rddp.connect(
            DaemonProcess.socket(folder),
            RddpOptions.defaults().withInterfaceName("one").withProgramName("observer"));
    kept = keptByDaemon();
  }

  @AfterEach
  void endDaemon() {
    if (observer != null) {
      observer.close();
      observer = null;
    }
    if (daemon != null) {
      daemon.close();
      daemon = null;
    }
  }

  /** Shared memory that the daemon has mapped, and processes that it watches. */
  private long keptByDaemon() throws IOException {
    Path process = Path.of("/proc", Long.toString(daemon.pid()));
    try (Stream<String> mappings = Files.lines(process.resolve("maps"));
        Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
      return mappings.filter(line -> line.contains("/memfd:")).count()
          + descriptors.filter(KillsTest::isOfASession).count();
    }
  }

  private static boolean isOfASession(Path descriptor) {
    try {
      String link = Files.readSymbolicLink(descriptor).toString();
      return link.contains("memfd:") || link.contains("pidfd") || link.startsWith("socket:");
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }

  private boolean keepsNothing() {
    try {
      return observer.list(ListSubject.SESSIONS).size() == 1
          && observer.list(ListSubject.CONNECTIONS).isEmpty()
          && observer.list(ListSubject.LISTENERS).isEmpty()
          && keptByDaemon() <= kept;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A server whose client has died before it came waits for the next one, as the program says. */
  private boolean waitsForAClient() {
    return !observer.list(ListSubject.LISTENERS).isEmpty()
        && observer.list(ListSubject.CONNECTIONS).isEmpty();
  }

  private void awaitListener(Process server) {
    TestDaemon.await(
        () -> !server.isAlive() || !observer.list(ListSubject.LISTENERS).isEmpty(),
        "the server listens");
  }

  /** Returns whether it has ended by itself. */
  private boolean ends(Process survivor, boolean mayWaitForAClient) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    while (System.nanoTime() < deadline) {
      if (survivor.waitFor(100, TimeUnit.MILLISECONDS)) {
        return true;
      }
      if (mayWaitForAClient && waitsForAClient()) {
        survivor.destroyForcibly().waitFor();
        return true;
      }
    }
    survivor.destroyForcibly().waitFor();
    return false;
  }

  private void kill(Victim victim) throws Exception {
    int pair = random.nextInt(SERVERS.size());
    int millis = random.nextInt(LATEST_MILLIS);
    String what = "%s of %s after %d ms".formatted(victim, CLIENTS.get(pair), millis);
    Path socket = DaemonProcess.socket(folder);
    Path served = folder.resolve("server");
    Path connected = folder.resolve("client");
    Process server = RdmaPrograms.start(socket, "two", SERVERS.get(pair), served);
    awaitListener(server);
    Process client = RdmaPrograms.start(socket, "one", CLIENTS.get(pair), connected);
    // What is tested is the moment itself, so nothing else can be waited for.
    TimeUnit.MILLISECONDS.sleep(millis);
    boolean all = true;
    switch (victim) {
      case DAEMON -> daemon.kill();
      case SERVER -> server.destroyForcibly().waitFor();
      case CLIENT -> client.destroyForcibly().waitFor();
    }
    if (victim != Victim.CLIENT) {
      all &= ends(client, false);
    }
    if (victim != Victim.SERVER) {
      all &= ends(server, victim == Victim.CLIENT);
    }
    assertThat(all)
        .as(
            "all end, the %s killed; the server printed:%n%s%nthe client:%n%s",
            what, Files.readString(served), Files.readString(connected))
        .isTrue();
    if (victim == Victim.DAEMON) {
      endDaemon();
      startDaemon();
    } else {
      TestDaemon.await(this::keepsNothing, "the daemon keeps nothing, the " + what + " killed");
    }
  }

  @Test
  void shouldEndWhoIsLeftAndKeepNothing() throws Exception {
    Victim[] victims = Victim.values();
    for (int i = 0; i < KILLS; i++) {
      // Each kind in turn, so that few kills have all of them.
      kill(victims[i % victims.length]);
    }
  }
}
