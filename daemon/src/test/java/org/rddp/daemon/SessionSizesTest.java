package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.rddp.client.RddpOptions;
import org.rddp.client.SharedReceiveQueue;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.SessionLimits;
import org.rddp.client.types.SessionSizes;

/** Programs that ask for the sizes of their queues, rings and tables. */
@Timeout(60)
class SessionSizesTest {
  private static final SessionSizes ASKED = new SessionSizes(700, 600, 2000, 3000, 770, 300);

  private final TestDaemon daemon =
      new TestDaemon(
          """
          [limits]
          session-regions = 3
          session-memories = 2
          largest-send-queue = 1000
          largest-regions = 800
          """);

  @AfterEach
  void close() {
    daemon.close();
  }

  private Rddp connect(String interfaceName, SessionSizes sizes) {
    return Rddp.connect(
        daemon.socket(), RddpOptions.defaults().withInterfaceName(interfaceName).withSizes(sizes));
  }

  @Test
  void shouldSayWhatASessionHasGot() {
    try (Rddp modest = connect("one", SessionSizes.CONFIGURED);
        Rddp large = connect("one", ASKED);
        Rddp greedy = connect("one", new SessionSizes(5000, 1 << 30, 1, 1 << 30, 5000, 1))) {
      assertThat(modest.limits())
          .isEqualTo(new SessionLimits(1024, 256, 256, 168, 1024, 3, 2, 8L << 30));
      assertThat(large.limits())
          .isEqualTo(new SessionLimits(4096, 700, 600, 168, 1024, 770, 300, 8L << 30));
      assertThat(greedy.limits())
          .isEqualTo(new SessionLimits(8192, 1000, 4096, 168, 1024, 800, 1, 8L << 30));
    }
  }

  @Test
  void shouldHoldAsManyRequestsAndRegionsAsAskedFor() {
    try (Rddp here = connect("one", ASKED);
        Rddp there = connect("two", ASKED)) {
      Listener listener = there.listen(7471);
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.TIMEOUT).accept());
      Connection out =
          here.connect(
              new InetSocketAddress(TestDaemon.ADDRESS_TWO, 7471),
              PrivateData.NONE,
              ConnectedPrograms.TIMEOUT,
              ConnectionOptions.DEFAULTS);
      Connection in = accepted.join();
      MemoryRegion source = here.allocate(64);
      MemoryRegion sink = there.allocate(64, Access.LOCAL_WRITE);
      for (int i = 0; i < 600; i++) {
        assertThat(in.postReceive(i, sink, 0, 64)).isTrue();
      }
      assertThat(in.postReceive(600, sink, 0, 64)).isFalse();
      for (int i = 0; i < 600; i++) {
        assertThat(out.postSend(i, source, 0, 64, SendFlags.SIGNALLED)).isTrue();
      }
      assertThat(ConnectedPrograms.completions(there, 600)).contains("receive 599 SUCCESS 64");
      assertThat(ConnectedPrograms.completions(here, 600)).contains("send 599 SUCCESS 64");

      for (int i = 1; i < 770; i++) {
        assertThat(source.register(0, 1).stag()).isNotZero();
      }
      SharedReceiveQueue queue = there.createSharedReceiveQueue(4096);
      assertThat(queue.size()).isEqualTo(4096);
    }
  }
}
