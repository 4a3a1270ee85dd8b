package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.RddpOptions;
import org.rddp.client.RefusedException;
import org.rddp.client.ScatterList;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SessionSizes;

/** Programs that take all the heap they can get do not harm others: a daemon with a small heap. */
@Timeout(240)
class SmallHeapTest {
  /** Users without an account. */
  private static final int FIRST = 65_534;

  private static final int SECOND = 65_533;

  private static final int DEPTH = 4096;

  /** Receives posted to a connection; some requests are left for all the others. */
  private static final int POSTED = 3000;

  /** If each of so many connections keeps its deepest queue, the heap is too small. */
  private static final int DEEP = 160;

  /** More connections than a user gets. */
  private static final int MANY = 1000;

  /** Octets of heap for two sessions of the usual sizes, and a little more. */
  private static final long OF_PAIR = 12 << 20;

  @TempDir private Path folder;

  private DaemonProcess daemon;

  /** Two programs, one on each interface. */
  private final class Pair implements AutoCloseable {
    private final Rddp here;
    private final Rddp there;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private final Listener listener;

    private Pair(SessionSizes sizes) {
      here = session("one", sizes);
      try {
        there = session("two", sizes);
      } catch (RddpException e) {
        here.close();
        throw e;
      }
      source = here.allocate(64);
      sink = there.allocate(64, Access.LOCAL_WRITE);
      listener = there.listen(0);
    }

    private Connection[] connect() {
      InetSocketAddress address =
          new InetSocketAddress(TestDaemon.ADDRESS_TWO, listener.address().getPort());
      // Not the common pool's thread: where the connection is refused, this waits in vain.
      CompletableFuture<Connection> in =
          CompletableFuture.supplyAsync(
              () -> listener.await(TIMEOUT).accept(), Thread.ofPlatform().daemon()::start);
      Connection out = here.connect(address, PrivateData.NONE, TIMEOUT);
      return new Connection[] {out, in.join()};
    }

    /** Fills the receive queue and empties it but for one, so that it does not seem unused. */
    private void makeDeep(Connection[] pair) {
      ScatterList pieces = new ScatterList().add(sink, 0, 8).add(sink, 8, 8);
      for (int i = 0; i < POSTED; i++) {
        TestDaemon.await(() -> pair[1].postReceive(1, pieces), "the submission ring has room");
      }
      for (int left = POSTED - 1; left > 0; left -= 1024) {
        int burst = Math.min(left, 1024);
        for (int i = 0; i < burst; i++) {
          assertThat(pair[0].postSend(2, source, 0, 0)).isTrue();
        }
        completions(here, burst);
      }
      completions(there, POSTED - 1);
    }

    private void exchange(Connection[] pair) {
      assertThat(pair[1].postReceive(1, sink, 0, 64)).isTrue();
      assertThat(pair[0].postSend(2, source, 0, 64)).isTrue();
      assertThat(completions(here, 1)).containsExactly("send 2 SUCCESS 64");
      assertThat(completions(there, 1)).containsExactly("receive 1 SUCCESS 64");
    }

    /** Opens deep connections, then others until one is refused. */
    private void takeAll(int deep, Runnable afterEach) {
      for (int i = 0; i < deep; i++) {
        makeDeep(connect());
        afterEach.run();
      }
      for (int i = 0; i < MANY; i++) {
        try {
          connect();
        } catch (RddpException e) {
          // The daemon has refused it, or reset its other end.
          return;
        }
        afterEach.run();
      }
      throw new AssertionError("no connection was refused");
    }

    @Override
    public void close() {
      here.close();
      there.close();
    }
  }

  private Rddp session(String interfaceName, SessionSizes sizes) {
    return Rddp.connect(
        DaemonProcess.socket(folder),
        RddpOptions.defaults().withInterfaceName(interfaceName).withSizes(sizes));
  }

  private static long heapTaken(Rddp session) {
    try {
      return TestDaemon.counters(session).get("heap_taken_bytes");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @BeforeEach
  void start() throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    daemon = DaemonProcess.start(folder, "-Xmx192m");
    Files.setPosixFilePermissions(
        DaemonProcess.socket(folder), PosixFilePermissions.fromString("rw-rw-rw-"));
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  @Test
  void shouldServeOthersWhenProgramsTakeAllTheHeapThatTheyGet() throws Exception {
    SessionSizes deep = new SessionSizes(DEPTH, DEPTH, DEPTH, DEPTH, 0, 0);
    try (Pair honest = new Pair(SessionSizes.CONFIGURED)) {
      Connection[] pair = honest.connect();
      try (Pair first = OtherUser.call(FIRST, () -> new Pair(deep))) {
        first.takeAll(DEEP, () -> honest.exchange(pair));
        assertThatThrownBy(() -> OtherUser.call(FIRST, () -> new Pair(deep)))
            .cause()
            .hasMessageContaining("of process")
            .extracting("reason")
            .isEqualTo(Reason.LIMIT);
        try (Pair another = new Pair(SessionSizes.CONFIGURED)) {
          another.exchange(another.connect());
        }
        try (Pair second = OtherUser.call(SECOND, () -> new Pair(deep))) {
          second.takeAll(0, () -> honest.exchange(pair));
          assertThatThrownBy(() -> new Pair(SessionSizes.CONFIGURED))
              .isInstanceOf(RefusedException.class)
              .hasMessageContaining("this daemon")
              .extracting("reason")
              .isEqualTo(Reason.RESOURCES);
          honest.exchange(pair);
        }
      }
      TestDaemon.await(() -> heapTaken(honest.here) < OF_PAIR, "the heap is given back");
      assertThat(honest.here.list(ListSubject.ERRORS))
          .noneMatch(line -> line.contains("internal error"))
          .anyMatch(line -> line.contains("ALARM: the heap for programs is used up"));
      try (Pair another = new Pair(SessionSizes.CONFIGURED)) {
        another.exchange(another.connect());
      }
    }
  }
}
