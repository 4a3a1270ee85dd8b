package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.ExpectedPeer;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;

/** Sends with immediate data: only between programs that both want them. */
@Timeout(60)
class SendsWithImmediateTest {
  private static final ConnectionOptions WANTING =
      ConnectionOptions.DEFAULTS.withSendWithImmediate(true);

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion near = here.allocate(64, Access.LOCAL_WRITE);
  private final MemoryRegion far = there.allocate(64, Access.LOCAL_WRITE);
  private Connection out;
  private Connection in;

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  private void connect(ConnectionOptions asking, ConnectionOptions listening) {
    Listener listener = there.listen(new InetSocketAddress(0), 8, listening);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    InetSocketAddress address =
        new InetSocketAddress(TestDaemon.ADDRESS_TWO, listener.address().getPort());
    out = here.connect(address, PrivateData.NONE, TIMEOUT, asking);
    in = accepted.join();
    in.awaitEstablished(TIMEOUT);
  }

  private void shouldCarryANumber() {
    near.segment().fill((byte) 7);
    assertThat(in.postReceive(1, far, 0, 16)).isTrue();
    int flags = SendFlags.SIGNALLED | SendFlags.SOLICITED;
    assertThat(out.postSendWithImmediate(2, near, 0, 8, -5, flags)).isTrue();
    TestDaemon.await(() -> there.poll(this::checkReceived, 1) == 1, "the Send has come");
    assertThat(far.segment().asSlice(0, 8).mismatch(near.segment().asSlice(0, 8))).isEqualTo(-1);
    assertThat(completions(here, 1).getFirst()).contains("2 SUCCESS 8");
  }

  private void checkReceived(Completion received) {
    assertThat(received.isSendWithImmediate()).isTrue();
    assertThat(received.immediate()).isEqualTo(0xffff_fffbL);
    assertThat(received.octets()).isEqualTo(8);
    assertThat(received.isSolicited()).isTrue();
  }

  @Test
  void shouldCarryANumberIfBothWantThem() {
    connect(WANTING, WANTING);
    assertThat(out.startup().sendWithImmediate()).isTrue();
    assertThat(in.startup().sendWithImmediate()).isTrue();
    shouldCarryANumber();
  }

  @Test
  void shouldCarryANumberBetweenQueuePairsByNumber() {
    QueuePairEnd lower = QueuePairEnd.of(here, TestDaemon.ADDRESS_ONE, 1);
    QueuePairEnd higher = QueuePairEnd.of(there, TestDaemon.ADDRESS_TWO, 2);
    out = expect(lower, higher);
    in = expect(higher, lower);
    out.awaitEstablished(TIMEOUT);
    in.awaitEstablished(TIMEOUT);
    shouldCarryANumber();
  }

  private static Connection expect(QueuePairEnd end, QueuePairEnd peer) {
    return end.number()
        .expect(
            new ExpectedPeer(
                end.address(),
                peer.address(),
                peer.number().value(),
                end.psn(),
                peer.psn(),
                QueuePairEnd.LONG),
            WANTING);
  }

  @Test
  void shouldBeRefusedIfOneDoesNotWantThem() {
    connect(WANTING, ConnectionOptions.DEFAULTS);
    assertThat(out.startup().sendWithImmediate()).isFalse();
    assertThat(in.startup().sendWithImmediate()).isFalse();
    assertThat(out.postSendWithImmediate(2, near, 0, 8, 5, SendFlags.SIGNALLED)).isTrue();
    assertThat(completions(here, 1).getFirst()).contains("2 LOCAL_OPERATION_ERROR");
    assertThat(in.postReceive(3, far, 0, 16)).isTrue();
    assertThat(out.postSend(4, near, 0, 8)).isTrue();
    assertThat(completions(there, 1)).containsExactly("receive 3 SUCCESS 8");
  }
}
