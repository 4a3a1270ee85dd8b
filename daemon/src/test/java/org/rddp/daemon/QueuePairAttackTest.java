package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Rddp;
import org.rddp.client.types.PrivateData;

/** Wrong introductions, which come from the address of a queue pair's true peer. */
@Timeout(120)
class QueuePairAttackTest {
  private static final int WRONG = 10_000;
  private static final int BETWEEN_PAIRS = 100;
  private static final int AT_A_TIME = 32;
  private static final InetSocketAddress PORT = new InetSocketAddress(TestDaemon.ADDRESS_TWO, 4794);

  private final Random random = new Random(1);
  private final Semaphore room = new Semaphore(AT_A_TIME);

  private static PrivateData introduction(int from, int to, int fromPsn, int toPsn) {
    return PrivateData.of(
        ByteBuffer.allocate(24)
            .putInt(0x52445150)
            .putInt(1 << 24 | 3 << 16)
            .putInt(from)
            .putInt(to)
            .putInt(fromPsn)
            .putInt(toPsn)
            .array());
  }

  /** Connects with an introduction, which nobody may accept. */
  private void introduce(Rddp attacker, PrivateData data) {
    room.acquireUninterruptibly();
    attacker.poll(completion -> {}, 1);
    attacker
        .connectAsync(PORT, data, Duration.ofSeconds(30), ConnectionOptions.DEFAULTS)
        .whenComplete((connection, failure) -> {
          // An accepted one keeps its permit, and the test does not end well.
          if (failure != null) {
            room.release();
          }
        });
  }

  private int anyNumber() {
    return random.nextInt(1 << 24);
  }

  private static long refused(Rddp session) {
    try {
      return TestDaemon.counters(session).get("two.engine.introductions.refused");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldConnectPairsMeanwhileAndKeepNothing() {
    try (TestDaemon daemon = new TestDaemon();
        Rddp attacker = daemon.connect("one");
        Rddp one = daemon.connect("one");
        Rddp two = daemon.connect("two")) {
      for (int i = 0; i < WRONG / BETWEEN_PAIRS; i++) {
        QueuePairEnd lower = QueuePairEnd.of(one, TestDaemon.ADDRESS_ONE, anyNumber());
        QueuePairEnd higher = QueuePairEnd.of(two, TestDaemon.ADDRESS_TWO, anyNumber());
        int from = lower.number().value();
        int to = higher.number().value();
        // One that knows both numbers comes first, and is kept in place of the true peer's.
        introduce(attacker, introduction(from, to, lower.psn() ^ 1, higher.psn()));
        Connection out = lower.expect(higher);
        for (int n = 1; n < BETWEEN_PAIRS; n++) {
          introduce(
              attacker,
              switch (n % 4) {
                case 0 -> introduction(anyNumber(), anyNumber(), 0, 0);
                case 1 -> introduction(from, to, anyNumber(), anyNumber());
                case 2 -> introduction(anyNumber(), to, lower.psn(), higher.psn());
                default -> PrivateData.of(new byte[random.nextInt(60)]);
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
}
