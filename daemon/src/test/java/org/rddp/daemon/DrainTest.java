package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.types.PrivateData;
import org.rddp.tcp.CloseReason;

/** The end of a daemon that still has connections. */
@Timeout(60)
class DrainTest {
  private static final int PORT = 7471;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** An MPA Request of revision 1 that wants CRCs, without private data. */
  private static final byte[] REQUEST =
      ByteBuffer.allocate(20)
          .put("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII))
          .put((byte) 0x40)
          .put((byte) 1)
          .putShort((short) 0)
          .array();

  /** A peer that leaves its sending direction open when the other end closes. */
  private static final class LastingPeer extends RawTcpConnection {
    LastingPeer(TestDaemon daemon) {
      super(daemon.daemon().engines().get(0), TestDaemon.ADDRESS_TWO, PORT, REQUEST, false);
    }

    @Override
    public void onPeerClosed() {}
  }

  @Test
  void shouldSayThatConnectionsEndedInOrder() {
    ConnectedPrograms programs = new ConnectedPrograms();
    programs.daemon.daemon().close();
    assertThat(programs.daemon.log())
        .contains("connections (2: 1 of one, 1 of two) may take 3s (drain-timeout) to end")
        .contains("all connections have ended in order");
    programs.close();
  }

  @Test
  void shouldResetAndNameWhatDoesNotEndInTime() throws Exception {
    TestDaemon daemon = new TestDaemon("drain-timeout = \"50ms\"");
    try (Rddp program = daemon.connect("two")) {
      Listener listener = program.listen(PORT);
      CompletableFuture<IncomingConnection> request =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT));
      LastingPeer peer = new LastingPeer(daemon);
      request.join().accept();
      daemon.daemon().close();
      assertThat(peer.awaitClosed()).isEqualTo(CloseReason.RESET);
    }
    assertThat(daemon.log())
        .contains("connections (1: 1 of two) may take 50ms (drain-timeout) to end")
        .contains("the drain-timeout is over: connections (1: 1 of two) did not end and are reset");
    daemon.close();
  }

  /** The peer keeps the daemon from ending, which is when the program tries. */
  @Test
  void shouldAcceptNothingWhileItEnds() throws Exception {
    TestDaemon daemon = new TestDaemon("drain-timeout = \"10min\"");
    try (Rddp program = daemon.connect("two");
        Rddp other = daemon.connect("one")) {
      Listener listener = program.listen(PORT);
      CompletableFuture<IncomingConnection> request =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT));
      LastingPeer peer = new LastingPeer(daemon);
      request.join().accept();
      CompletableFuture<Void> end = CompletableFuture.runAsync(daemon.daemon()::close);
      TestDaemon.await(
          () -> daemon.log().contains("may take 10min (drain-timeout) to end"), "the daemon ends");
      TestDaemon.await(() -> !daemon.socket().toFile().exists(), "the control socket is gone");
      TestDaemon.await(() -> isRefused(other), "connections are refused");
      assertThatThrownBy(() -> other.listen(PORT)).hasMessageContaining("the daemon ends");
      peer.close();
      end.join();
    }
    daemon.close();
  }

  private static boolean isRefused(Rddp program) {
    try {
      program.connect(ConnectedPrograms.TWO, PrivateData.NONE, TIMEOUT).close();
      return false;
    } catch (RddpException e) {
      return e.getMessage().contains("the daemon ends");
    }
  }
}
