package org.rddp.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class CoreToCoreTest {
  @Test
  void shouldMeasureBetweenTwoCpus() throws Exception {
    int[] cpus = Affinity.allowed();
    assertThat(CoreToCore.medianNanos(cpus[0], cpus[cpus.length - 1])).isPositive();
  }

  @Test
  void shouldEndWhenTheMeasuringThreadCannotStart() throws Exception {
    int[] cpus = Affinity.allowed();
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> CoreToCore.medianNanos(8191, cpus[0]));
  }
}
