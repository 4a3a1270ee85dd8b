package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When the daemon's counters are copied into shared memory. */
class StatisticsTest {
  private static final PublishedValue<StatisticsTest> TURNS =
      PublishedValue.counter("turns", "Turns.", test -> test.now.get("turns"));

  private final Map<String, Long> now = new HashMap<>(Map.of("worked", 0L, "turns", 0L));
  private Statistics statistics;

  @BeforeEach
  void open() throws Exception {
    statistics = new Statistics();
    statistics.add(List.of(TURNS), this);
    statistics.addActivity(() -> now.get("worked"));
  }

  @AfterEach
  void close() {
    statistics.close();
  }

  private long turns() {
    long[] found = {-1};
    statistics.forEach((_, published, value) -> {
      if (published.equals(TURNS)) {
        found[0] = value;
      }
    });
    return found[0];
  }

  @Test
  void shouldCopyAtFirstAlthoughNoEngineHasWorked() {
    now.put("turns", 3L);
    statistics.refresh(0, 0);
    assertThat(turns()).isEqualTo(3);
  }

  @Test
  void shouldCopyAtEachLookWhileAnEngineWorks() {
    for (long i = 1; i < 10; i++) {
      now.put("worked", i);
      now.put("turns", 2 * i);
      assertThat(statistics.refresh(0, 0)).isEqualTo(Statistics.PERIOD);
      assertThat(turns()).isEqualTo(2 * i);
    }
  }

  @Test
  void shouldLookMoreRarelyAndCopyAtSomeLooksOnlyWhileNoEngineWorks() {
    statistics.refresh(0, 0);
    int copies = 0;
    for (long i = 1; i <= 50; i++) {
      now.put("turns", i);
      assertThat(statistics.refresh(0, 0)).isEqualTo(Statistics.IDLE_PERIOD);
      copies += turns() == i ? 1 : 0;
    }
    assertThat(copies).isEqualTo(10);
  }

  @Test
  void shouldCopyWhenSessionsOrTheirMemoryChange() {
    statistics.refresh(0, 0);
    now.put("turns", 1L);
    assertThat(statistics.refresh(1, 0)).isEqualTo(Statistics.PERIOD);
    assertThat(turns()).isEqualTo(1);
    now.put("turns", 2L);
    assertThat(statistics.refresh(1, 4096)).isEqualTo(Statistics.PERIOD);
    assertThat(turns()).isEqualTo(2);
  }
}
