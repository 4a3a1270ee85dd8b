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
      long trains = counters.get("one.tcp.trains.out");
      long segments = counters.get("one.tcp.trains.segments.out");
      assertThat(trains).isPositive();
      assertThat(segments).isBetween(2 * trains, counters.get("one.ddp.segments.sent"));
      assertThat(counters)
          .containsEntry("two.tcp.trains.in", trains)
          .containsEntry("two.tcp.trains.segments.in", segments)
          .containsEntry("two.tcp.trains.out", 0L);
    }
  }

  /** Whether both engines' counters are of after the exchange: they are copied now and then. */
  private static boolean isAllCounted(Map<String, Long> counters) {
    return counters.get("one.engine.connections.closed") == 1
        && counters.get("two.engine.connections.closed") == 1;
  }

  private static Map<String, Long> counters(Rddp session) {
    try {
      return TestDaemon.counters(session);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
