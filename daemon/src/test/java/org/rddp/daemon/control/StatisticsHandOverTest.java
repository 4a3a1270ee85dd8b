package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;

/** The counters of a daemon go on in the next one. */
class StatisticsHandOverTest {
  private static final List<PublishedValue<AtomicLong>> VALUES =
      List.of(
          PublishedValue.counter("counted", "Things.", AtomicLong::get),
          PublishedValue.gauge("held", "Things.", AtomicLong::get));

  private static Map<String, Long> values(Statistics statistics) {
    Map<String, Long> values = new TreeMap<>();
    statistics.forEach(
        (engine, published, value) -> values.put(engine + "." + published.name(), value));
    return values;
  }

  private static Statistics goOn(Statistics former, AtomicLong source) throws SystemCallException {
    SnapshotWriter writer = new SnapshotWriter();
    former.transfer(writer);
    Statistics next = new Statistics();
    next.add("one", VALUES, () -> source);
    SnapshotReader reader = new SnapshotReader(writer.finish());
    next.transfer(reader);
    reader.finish();
    former.close();
    return next;
  }

  @Test
  void shouldGoOnWhetherTheSourceHasBeenTransferredOrBeginsAnew() throws Exception {
    Statistics first = new Statistics();
    first.add("one", VALUES, () -> new AtomicLong(40));
    first.add("two", VALUES, () -> new AtomicLong(7));
    AtomicLong anew = new AtomicLong(2);
    Statistics second = goOn(first, anew);
    assertThat(values(second)).containsEntry("one.counted", 40L).containsEntry("one.held", 0L);
    second.add("two", VALUES, () -> new AtomicLong(0));
    assertThat(values(second)).containsEntry("two.counted", 7L);
    anew.set(3);
    second.refresh(0, 0);
    assertThat(values(second)).containsEntry("one.counted", 41L).containsEntry("one.held", 3L);
    AtomicLong transferred = new AtomicLong(41);
    try (Statistics third = goOn(second, transferred)) {
      assertThat(values(third)).containsEntry("one.counted", 41L);
      transferred.incrementAndGet();
      third.refresh(0, 0);
      assertThat(values(third)).containsEntry("one.counted", 42L);
    }
  }
}
