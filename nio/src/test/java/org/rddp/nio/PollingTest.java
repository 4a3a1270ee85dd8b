package org.rddp.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.ipc.linux.TimeSlice;

/** For how long threads poll, and in which time slices. */
@Timeout(60)
class PollingTest extends ConnectedChannels {
  @ParameterizedTest
  @CsvSource({
    ",100",
    "'',100",
    "0,0",
    "7,7",
    "1000000,1000000",
    "1000001,100",
    "-1,100",
    "1 ms,100"
  })
  void shouldPollForAsLongAsTheVariableSays(String variable, int micros) {
    assertThat(RddpSelectorProvider.polling(variable)).isEqualTo(Duration.ofNanos(1000L * micros));
  }

  @Test
  void shouldRefuseTimesOutsideTheRange() {
    Path socket = Path.of("rddpd.sock");
    assertThat(new RddpSelectorProvider(socket, Duration.ofSeconds(1)).polling())
        .isEqualTo(1_000_000_000);
    assertThatThrownBy(() -> new RddpSelectorProvider(socket, Duration.ofNanos(1_000_000_001)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RddpSelectorProvider(socket, Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Linux tells the length of slices from 6.12 on. */
  private static void assertShortened(Callable<?> wait) throws Exception {
    assumeThat(ThreadScheduling.isFiltered()).isFalse();
    FutureTask<Long> slice =
        new FutureTask<>(() -> {
          wait.call();
          return TimeSlice.current();
        });
    Thread.ofPlatform().start(slice);
    assertThat(slice.get()).isEqualTo(TimeSlice.current() == 0 ? 0 : TimeSlice.SHORTEST);
  }

  @Test
  void shouldReadInShortTimeSlices() throws Exception {
    client.socket().setSoTimeout(1);
    assertShortened(() ->
        assertThatThrownBy(() -> client.socket().getInputStream().read())
            .isInstanceOf(SocketTimeoutException.class));
  }

  @Test
  void shouldSelectInShortTimeSlices() throws Exception {
    try (Selector selector = provider.openSelector()) {
      client.configureBlocking(false);
      client.register(selector, SelectionKey.OP_READ);
      assertShortened(() -> selector.select(1));
    }
  }
}
