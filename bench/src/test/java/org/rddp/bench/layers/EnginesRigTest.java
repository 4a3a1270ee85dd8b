package org.rddp.bench.layers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Sample;

class EnginesRigTest {
  @ParameterizedTest
  @CsvSource({"1, 1", "4, 1", "3, 2"})
  void shouldWriteWithEveryEngine(int engines, int threads) throws Exception {
    try (EnginesRig rig = new EnginesRig()) {
      rig.open(Json.of("engines", engines, "threads", threads));
      Sample sample = rig.round(Json.of("millis", 20));
      assertThat(sample.figures().get("rate")).isPositive();
      assertThat(sample.figures().get("cpu_ns")).isPositive();
      assertThat(sample.figures().get("heap_of_engine")).isPositive();
    }
  }
}
