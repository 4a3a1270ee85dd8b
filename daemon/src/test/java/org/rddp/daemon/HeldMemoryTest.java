package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
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

/** The memory for messages without a receive is shared out fairly, and given back. */
@Timeout(60)
class HeldMemoryTest {
  private static final int NOBODY = 65534;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** Three fill a process's half of 1 MiB. */
  private static final int MESSAGE = 150_000;

  private TestDaemon daemon;

  /** Two programs, one on each interface, and where they keep messages. */
  private final class Pair implements AutoCloseable {
    private final Rddp here = daemon.connect("one");
    private final Rddp there = daemon.connect("two");
    private final MemoryRegion source = here.allocate(MESSAGE);
    private final MemoryRegion sink = there.allocate(MESSAGE, Access.LOCAL_WRITE);
    private final Listener listener =
        there.listen(
            new InetSocketAddress(0), 8, ConnectionOptions.DEFAULTS.withHeldOctets(1 << 20));

    private final List<Connection> holding = new ArrayList<>();

    private Connection[] connect() {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      InetSocketAddress address =
          new InetSocketAddress(TestDaemon.ADDRESS_TWO, listener.address().getPort());
      Connection out = here.connect(address, PrivateData.NONE, TIMEOUT);
      return new Connection[] {out, accepted.join()};
    }

    /** Sends messages over one connection each, which nobody receives. */
    private void fillShare() {
      for (int i = 1; i <= 3; i++) {
        Connection[] pair = connect();
        holding.add(pair[1]);
        assertThat(pair[0].postSend(i, source, 0, MESSAGE)).isTrue();
        assertThat(ConnectedPrograms.completions(here, 1))
            .containsExactly("send " + i + " SUCCESS " + MESSAGE);
      }
      Connection[] refused = connect();
      assertThat(refused[0].postSend(4, source, 0, MESSAGE)).isTrue();
      assertThat(refused[1].awaitClosed(TIMEOUT)).isTrue();
      assertThat(refused[1].closeReason()).isEqualTo(Reason.DDP_ERROR);
      ConnectedPrograms.completions(here, 1);
    }

    private void endConnections() {
      for (Connection each : holding) {
        each.abort();
        assertThat(each.awaitClosed(TIMEOUT)).isTrue();
      }
      holding.clear();
    }

    private void exchange() {
      Connection[] pair = connect();
      assertThat(pair[0].postSend(1, source, 0, MESSAGE)).isTrue();
      assertThat(ConnectedPrograms.completions(here, 1))
          .containsExactly("send 1 SUCCESS " + MESSAGE);
      assertThat(pair[1].postReceive(2, sink, 0, MESSAGE)).isTrue();
      assertThat(ConnectedPrograms.completions(there, 1))
          .containsExactly("receive 2 SUCCESS " + MESSAGE);
    }

    @Override
    public void close() {
      here.close();
      there.close();
    }
  }

  @BeforeEach
  void start() throws IOException {
    daemon =
        TestDaemon.withKeys(
            "hold-memory = \"1MiB\"",
            "mode = \"0666\"\n[limits]\nuser-share = 50\nprocess-share = 50\n");
    Files.setPosixFilePermissions(
        daemon.socket().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  @Test
  @Tag("DDP-8.3.2-05")
  void shouldLeaveRoomForTheMessagesOfOtherUsers() throws Exception {
    try (Pair hostile = OtherUser.call(NOBODY, Pair::new);
        Pair honest = new Pair()) {
      hostile.fillShare();
      honest.exchange();
    }
  }

  /** All sessions of a process have one share. */
  @Test
  void shouldCountTheMessagesOfAllSessionsOfAProcess() {
    try (Pair first = new Pair();
        Pair second = new Pair()) {
      first.fillShare();
      Connection[] refused = second.connect();
      assertThat(refused[0].postSend(1, second.source, 0, MESSAGE)).isTrue();
      assertThat(refused[1].awaitClosed(TIMEOUT)).isTrue();
    }
  }

  @Test
  void shouldGiveTheMemoryBackWhenConnectionsEnd() {
    try (Pair pair = new Pair()) {
      for (int round = 0; round < 3; round++) {
        pair.fillShare();
        pair.endConnections();
      }
      pair.exchange();
    }
  }

  @Test
  void shouldGiveTheMemoryBackWhenASessionEnds() {
    for (int round = 0; round < 3; round++) {
      try (Pair pair = new Pair()) {
        pair.fillShare();
      }
    }
  }
}
