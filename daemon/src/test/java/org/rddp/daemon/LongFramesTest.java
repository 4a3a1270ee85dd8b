package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;

/** A running daemon between whose interfaces several segments pass as one frame. */
@Timeout(60)
class LongFramesTest {
  private static final int PORT = 7471;

  @Test
  void shouldCountTrainsAndTheirSegmentsAtBothEnds() {
    try (TestDaemon daemon = TestDaemon.withLongFrames(16_384);
        Rddp here = daemon.connect("one");
        Rddp there = daemon.connect("two");
        Listener listener = there.listen(PORT)) {
      InetSocketAddress to = new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);
      new Exchange(here, there).over(listener, to, TestDaemon.ADDRESS_ONE);

      TestDaemon.await(() -> isAllCounted(counters(here)), "every octet is counted");
      Map<String, Long> counters = counters(here);
      long trains = counters.get("one.tcp_sent_trains");
      long segments = counters.get("one.tcp_sent_train_segments");
      assertThat(trains).isPositive();
      assertThat(segments).isBetween(2 * trains, counters.get("one.ddp_sent_segments"));
      assertThat(counters)
          .containsEntry("two.tcp_received_trains", trains)
          .containsEntry("two.tcp_received_train_segments", segments)
          .containsEntry("two.tcp_sent_trains", 0L);
    }
  }

  /** Whether both engines' counters are of after the exchange: they are copied now and then. */
  private static boolean isAllCounted(Map<String, Long> counters) {
    return counters.get("one.connections_closed") == 1
        && counters.get("two.connections_closed") == 1;
  }

  private static Map<String, Long> counters(Rddp session) {
    try {
      return TestDaemon.counters(session);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
