package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;

/** What has completed on such a connection is in the peer's memory. */
@Timeout(120)
class AcknowledgedCompletionsTest {
  private static final int OCTETS = 1 << 16;
  private static final int ROUNDS = 200;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion near = here.allocate(OCTETS, Access.LOCAL_WRITE);
  private final MemoryRegion far = there.allocate(OCTETS, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  private final Listener listener = there.listen(0);
  private final CompletableFuture<Connection> accepted =
      CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
  private final Connection out =
      here.connect(
          new InetSocketAddress(TestDaemon.ADDRESS_TWO, listener.address().getPort()),
          PrivateData.NONE,
          TIMEOUT,
          ConnectionOptions.DEFAULTS.withAcknowledged(true));
  private final Connection in = accepted.join();

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  private void fill(int round) {
    for (int i = 0; i < OCTETS; i++) {
      near.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + round));
    }
  }

  @Test
  void shouldHavePlacedWhatHasCompleted() {
    for (int round = 0; round < ROUNDS; round++) {
      fill(round);
      if (round % 2 == 0) {
        out.blocking().write(near, 0, OCTETS, far.stag(), 0, TIMEOUT);
      } else {
        assertThat(in.postReceive(round, far, 0, OCTETS)).isTrue();
        out.blocking().send(near, 0, OCTETS, TIMEOUT);
      }
      assertThat(far.segment().mismatch(near.segment())).as("round %d", round).isEqualTo(-1);
      completions(there, round % 2);
    }
  }

  @Test
  void shouldPlaceWhatWasPostedBeforeAGracefulEnd() {
    fill(1);
    int part = OCTETS / 8;
    for (int i = 0; i < 8; i++) {
      long at = (long) i * part;
      assertThat(out.postWrite(i, near, at, part, far.stag(), at)).isTrue();
    }
    out.disconnect();
    assertThat(completions(here, 8)).allMatch(line -> line.contains("SUCCESS"));
    assertThat(far.segment().mismatch(near.segment())).isEqualTo(-1);
    in.close();
    TestDaemon.await(() -> out.closeReason() != null, "the connection has ended");
    assertThat(out.closeReason()).isEqualTo(Reason.LOCAL_CLOSE);
  }
}
