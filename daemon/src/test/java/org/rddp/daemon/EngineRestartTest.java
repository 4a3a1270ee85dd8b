package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/** An engine of several whose turns fail again and again. */
@Timeout(60)
class EngineRestartTest {
  /** The failing engine is the first of the interface one. */
  private static final String FAILING = "one/0";

  private static final int ENGINES = 2;

  /** Failed turns in a row after which an engine begins anew. */
  private static final int HOPELESS = 100;

  private final TestDaemon daemon = TestDaemon.withEngines(ENGINES);
  private final List<Rddp> sessions = new ArrayList<>();
  private int port = 7471;

  @AfterEach
  void close() {
    sessions.forEach(Rddp::close);
    daemon.close();
    assertThat(daemon.packetsOut()).isZero();
  }

  private Rddp connect(String engine) {
    Rddp session = daemon.connect(engine);
    sessions.add(session);
    return session;
  }

  /** A program on an engine of the interface one, and a peer of its own. */
  private final class Pair {
    private final Rddp here;
    private final Connection out;
    private final Connection in;
    private final MemoryRegion source;
    private final MemoryRegion sink;

    Pair(Rddp here, Rddp there) {
      this.here = here;
      int own = port++;
      try (Listener listener = there.listen(own)) {
        CompletableFuture<Connection> accepted =
            CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
        out = here.connect(new InetSocketAddress("10.0.0.2", own), PrivateData.NONE, TIMEOUT);
        in = accepted.join();
      }
      source = here.allocate(64, Access.LOCAL_WRITE);
      sink = there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }

    /** Writes a value into the peer's memory, and waits until it is there. */
    void exchange(long value) {
      source.segment().set(ValueLayout.JAVA_LONG, 0, value);
      assertThat(out.postWrite(value, source, 0, 8, sink.stag(), 0)).isTrue();
      assertThat(completions(here, 1)).containsExactly("write " + value + " SUCCESS 8");
      TestDaemon.await(
          () -> sink.segment().get(ValueLayout.JAVA_LONG, 0) == value, "the octets have come");
    }
  }

  private long restarts() {
    return daemon.daemon().engines().getFirst().counters().restarts;
  }

  private long counted() {
    try {
      return TestDaemon.counters(sessions.getLast()).get(FAILING + ".engine_restarts");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The session has ended as if the daemon had. */
  private static void awaitLoss(Rddp session) {
    Throwable failure = null;
    while (failure == null) {
      failure = catchThrowable(() -> session.await(TIMEOUT));
    }
    assertThat(failure).isInstanceOf(SessionLostException.class);
  }

  private void fail() {
    daemon.breakQueue(0, HOPELESS);
  }

  @Test
  void shouldEndTheSessionsOfTheFailedEngineAndNoOthers() {
    Pair lost = new Pair(connect(FAILING), connect("two/0"));
    Pair kept = new Pair(connect("one/1"), connect("two/1"));
    lost.exchange(1);
    kept.exchange(2);

    fail();

    awaitLoss(lost.here);
    assertThatThrownBy(() -> lost.here.listen(9000)).isInstanceOf(SessionLostException.class);
    // The peer's end of the connection is reset.
    assertThat(lost.in.awaitClosed(TIMEOUT)).isTrue();
    for (int i = 3; i < 20; i++) {
      kept.exchange(i);
    }
    TestDaemon.await(() -> counted() == 1, "the restart is counted");
    assertThat(daemon.log())
        .contains(
            "ALARM: the engine of interface one/0 has failed and begins anew; its sessions end (1)")
        .contains(BreakableDevice.MESSAGE);
  }

  @Test
  void shouldServeNewSessionsOnTheEngineThatHasFailed() {
    Rddp before = connect(FAILING);
    assertThat(before.listen(9000).address().getPort()).isEqualTo(9000);
    fail();
    awaitLoss(before);

    Rddp after = connect(FAILING);
    new Pair(after, connect("two/1")).exchange(1);
    // The port that the lost session listened at is free.
    try (Listener listener = after.listen(9000)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      Connection out =
          connect("two/1")
              .connect(new InetSocketAddress("10.0.0.1", 9000), PrivateData.NONE, TIMEOUT);
      assertThat(accepted.join().remoteAddress()).isEqualTo(out.localAddress());
    }
  }

  @Test
  void shouldConnectQueuePairsByNumberAfterwards() {
    Rddp lost = connect(FAILING);
    QueuePairEnd before = QueuePairEnd.of(lost, TestDaemon.ADDRESS_ONE, 1);
    QueuePairEnd kept = QueuePairEnd.of(connect("one/1"), TestDaemon.ADDRESS_ONE, 2);
    QueuePairEnd peer = QueuePairEnd.of(connect("two/0"), TestDaemon.ADDRESS_TWO, 3);
    QueuePairEnd.exchange(before, peer);
    fail();
    awaitLoss(lost);

    QueuePairEnd after = QueuePairEnd.of(connect(FAILING), TestDaemon.ADDRESS_ONE, 4);
    QueuePairEnd.exchange(after, peer);
    QueuePairEnd.exchange(peer, kept);
    QueuePairEnd.exchange(kept, after);
  }

  @Test
  void shouldGoOnWithItsSessionsAfterFewFailedTurns() {
    Pair pair = new Pair(connect(FAILING), connect("two/0"));
    daemon.breakQueue(0, HOPELESS - 1);
    pair.exchange(1);
    assertThat(restarts()).isZero();
  }

  @Test
  void shouldBeginAnewOnlyThreeTimesInAMinute() throws Exception {
    fail();
    TestDaemon.await(() -> restarts() == 1, "it has begun anew once");
    daemon.breakQueue(0, Integer.MAX_VALUE);
    assertThat(daemon.daemon().awaitEnd()).hasMessage(BreakableDevice.MESSAGE);
    assertThat(restarts()).isEqualTo(3);
  }
}
