package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.Engine;
import org.rddp.tcp.CloseReason;

/** Introductions that no daemon has sent, from the address of a queue pair's true peer. */
@Timeout(120)
class QueuePairAttackTest {
  private static final int WRONG = 10_000;
  private static final int BETWEEN_PAIRS = 100;
  private static final int AT_A_TIME = 32;
  private static final int PORT = 4794;

  private final Random random = new Random(1);
  private final Semaphore room = new Semaphore(AT_A_TIME);

  private static byte[] introduction(int from, int to, int fromPsn, int toPsn) {
    return ByteBuffer.allocate(24)
        .putInt(0x52445150)
        .putInt(1 << 24 | 3 << 16)
        .putInt(from)
        .putInt(to)
        .putInt(fromPsn)
        .putInt(toPsn)
        .array();
  }

  /** An MPA Request of revision 1 that wants CRCs. */
  private static byte[] request(byte[] privateData) {
    return ByteBuffer.allocate(20 + privateData.length)
        .put("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII))
        .put((byte) 0x40)
        .put((byte) 1)
        .putShort((short) privateData.length)
        .put(privateData)
        .array();
  }

  /** Connects with an introduction, which nobody may accept, as a host could that is no daemon. */
  private void introduce(TestDaemon daemon, byte[] data) {
    room.acquireUninterruptibly();
    Engine from = daemon.daemon().engines().getFirst();
    // An accepted one keeps its permit, and the test does not end well.
    new RawTcpConnection(from, TestDaemon.ADDRESS_TWO, PORT, request(data), false) {
      @Override
      public void onClosed(CloseReason reason) {
        room.release();
      }
    };
  }

  private int anyNumber() {
    return random.nextInt(1 << 24);
  }

  private static long refused(Rddp session) {
    try {
      return TestDaemon.counters(session).get("two.introductions_refused");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldConnectPairsMeanwhileAndKeepNothing() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp one = daemon.connect("one");
        Rddp two = daemon.connect("two")) {
      for (int i = 0; i < WRONG / BETWEEN_PAIRS; i++) {
        QueuePairEnd lower = QueuePairEnd.of(one, TestDaemon.ADDRESS_ONE, anyNumber());
        QueuePairEnd higher = QueuePairEnd.of(two, TestDaemon.ADDRESS_TWO, anyNumber());
        int from = lower.number().value();
        int to = higher.number().value();
        // One that knows both numbers comes first, and is kept in place of the true peer's.
        introduce(daemon, introduction(from, to, lower.psn() ^ 1, higher.psn()));
        Connection out = lower.expect(higher);
        for (int n = 1; n < BETWEEN_PAIRS; n++) {
          introduce(
              daemon,
              switch (n % 4) {
                case 0 -> introduction(anyNumber(), anyNumber(), 0, 0);
                case 1 -> introduction(from, to, anyNumber(), anyNumber());
                case 2 -> introduction(anyNumber(), to, lower.psn(), higher.psn());
                default -> new byte[random.nextInt(60)];
              });
        }
        Connection in = higher.expect(lower);
        out.awaitEstablished(TIMEOUT);
        in.awaitEstablished(TIMEOUT);
        out.abort();
        assertThat(out.awaitClosed(TIMEOUT)).isTrue();
        assertThat(in.awaitClosed(TIMEOUT)).isTrue();
        lower.number().close();
        higher.number().close();
      }
      room.acquireUninterruptibly(AT_A_TIME);
      TestDaemon.await(
          () -> refused(two) >= WRONG - WRONG / BETWEEN_PAIRS, "wrong ones have been refused");
      TestDaemon.await(() -> daemon.packetsOut() == 0, "every packet is free");
    }
  }

  @Test
  void shouldLetNoProgramSayAnothersNumber() {
    try (TestDaemon daemon = TestDaemon.withPortsOfQueuePairs(4801, 4802);
        Rddp attacker = daemon.connect("one");
        Rddp friend = daemon.connect("one");
        Rddp victim = daemon.connect("two")) {
      QueuePairEnd lower = QueuePairEnd.of(friend, TestDaemon.ADDRESS_ONE, 0);
      QueuePairEnd higher = QueuePairEnd.of(victim, TestDaemon.ADDRESS_TWO, 0);
      Connection in = higher.expect(lower);
      PrivateData forged =
          PrivateData.of(introduction(lower.number().value(), higher.number().value(), 0, 0));
      // Those of the two interfaces, and the usual one, which another daemon's may have.
      for (int port : new int[] {4802, 4801, PORT}) {
        for (PrivateData data : List.of(forged, PrivateData.NONE)) {
          assertRefused(
              () -> connect(attacker, port, data),
              Reason.PERMISSION,
              "only daemons connect to port " + port + " (queue-pair-port)");
        }
        assertRefused(
            () -> attacker.listen(port),
            Reason.ADDRESS_IN_USE,
            "only daemons listen at port " + port + " (queue-pair-port)");
      }
      assertThat(in.isOpen()).isFalse();
      assertThat(in.closeReason()).isNull();
    }
  }

  /** The daemon of a peer may take introductions at any port. */
  @Test
  void shouldLetNoProgramSpeakAsADaemonAtAnyPort() {
    PrivateData reply = PrivateData.of(Arrays.copyOf(introduction(1, 2, 3, 4), 8));
    try (TestDaemon daemon = new TestDaemon();
        Rddp attacker = daemon.connect("one");
        Rddp two = daemon.connect("two");
        Listener listener = two.listen(4803)) {
      PrivateData forged = PrivateData.of(introduction(1, 2, 3, 4));
      assertRefused(
          () -> connect(attacker, 4803, forged),
          Reason.INVALID,
          "private data that begin with 0x52445150 are of daemons only");
      CompletableFuture<Connection> connecting =
          CompletableFuture.supplyAsync(() -> connect(attacker, 4803, PrivateData.NONE));
      IncomingConnection incoming = listener.await(TIMEOUT);
      assertRefused(
          () -> incoming.accept(reply),
          Reason.INVALID,
          "private data that begin with 0x52445150 are of daemons only");
      incoming.accept().abort();
      connecting.join().abort();
    }
  }

  private static Connection connect(Rddp from, int port, PrivateData data) {
    return from.connect(new InetSocketAddress(TestDaemon.ADDRESS_TWO, port), data, TIMEOUT);
  }

  private static void assertRefused(ThrowingCallable call, Reason reason, String text) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(text);
  }
}
