package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.io.IOException;
import java.io.UncheckedIOException;
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

/** A program that accepts and sends first waits for its peer; people are told so. */
@Timeout(60)
class FirstMessageTest {
  private static final String WAITS = "waits for the peer's first message";
  private static final String COUNTER = "two.engine_startup_first_message_awaited";

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion near = here.allocate(64, Access.LOCAL_WRITE);
  private final MemoryRegion far = there.allocate(64, Access.LOCAL_WRITE);
  private final Listener listener = there.listen(0);
  private Connection out;
  private Connection in;

  private void connect(ConnectionOptions options) {
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    InetSocketAddress to =
        new InetSocketAddress(TestDaemon.ADDRESS_TWO, listener.address().getPort());
    out = here.connect(to, PrivateData.NONE, TIMEOUT, options);
    in = accepted.join();
  }

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  @Test
  void shouldTellThatTheAcceptingProgramWaits() {
    connect(ConnectionOptions.DEFAULTS);
    assertThat(out.postReceive(1, near, 0, 64)).isTrue();
    assertThat(in.postSend(2, far, 0, 8)).isTrue();
    TestDaemon.await(() -> daemon.log().contains(WAITS), "the log tells");
    assertThat(daemon.log()).contains("a message of test");
    TestDaemon.await(() -> awaited() == 1, "the counter tells");
    assertThat(in.postReceive(3, far, 8, 8)).isTrue();
    out.blocking().send(near, 0, 1, TIMEOUT);
    assertThat(completions(here, 1)).containsExactly("receive 1 SUCCESS 8");
  }

  private long awaited() {
    try {
      return there.counters().get(COUNTER);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldLetTheAcceptingProgramSendFirstWithPeerToPeer() throws IOException {
    connect(ConnectionOptions.DEFAULTS.withPeerToPeer(true));
    assertThat(in.startup().peerToPeer()).isTrue();
    assertThat(out.postReceive(1, near, 0, 64)).isTrue();
    in.blocking().send(far, 0, 8, TIMEOUT);
    assertThat(completions(here, 1)).containsExactly("receive 1 SUCCESS 8");
    assertThat(daemon.log()).doesNotContain(WAITS);
    assertThat(there.counters()).containsEntry(COUNTER, 0L);
  }
}
