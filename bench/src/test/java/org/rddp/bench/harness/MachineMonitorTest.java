package org.rddp.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MachineMonitorTest {
  @Test
  void shouldReadHowLongProgramsHaveWaited() {
    assertThat(
            MachineMonitor.pressedSeconds(
                List.of(
                    "some avg10=1.00 avg60=0.00 avg300=0.00 total=1500000",
                    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0")))
        .isEqualTo(1.5);
    assertThat(MachineMonitor.pressedSeconds(List.of())).isNaN();
  }

  @Test
  void shouldReadWhatTheCpusDid() {
    assertThat(MachineMonitor.spentTicks("cpu  1 2 3 4 5 6 7 8 9 10"))
        .containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(MachineMonitor.seconds("12 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 30 10 10 0"))
        .isEqualTo(2.0);
  }

  @Test
  void shouldSayThatOthersHaveDisturbed() {
    assertThat(new Conditions(90, 90, 0.5, 0, 0.01, 1, 3, List.of()).disturbed()).isFalse();
    assertThat(new Conditions(90, 90, 0.5, 0, 0.2, 1, 3, List.of()).disturbed()).isTrue();
    assertThat(new Conditions(90, 90, 0.5, 0.05, 0, 1, 3, List.of()).disturbed()).isTrue();
    assertThat(new Conditions(90, 90, 0.5, 0, 0, 0.7, 3, List.of()).disturbed()).isTrue();
    assertThat(new Conditions(90, 90, 0.5, 0, 0, Double.NaN, 3, List.of()).disturbed()).isFalse();
    assertThat(new Conditions(90, 90, 0.5, 0, 0.2, 1, 3, List.of()))
        .asString()
        .contains("DISTURBED");
    assertThat(new Conditions(90, 90, 0.5, 0, 0, 1, 3, List.of("this", "that")))
        .asString()
        .endsWith("not steady: this, that");
    assertThat(new Conditions(90, 90, Double.NaN, 0, 0, 1, 3, List.of()))
        .asString()
        .contains("pressure unknown");
    assertThat(
            new Conditions(90, 90, Double.NaN, 0, 0, 1, 3, List.of()).toJson().has("cpu_pressure"))
        .isFalse();
  }

  @Test
  void shouldTellNearCoresFromFar() {
    assertThat(new Conditions(60, 80, 0, 0, 0, 1, 1, List.of()).near()).isTrue();
    assertThat(new Conditions(60, 400, 0, 0, 0, 1, 1, List.of()).near()).isFalse();
    assertThat(new Conditions(60, 400, 0, 0, 0, 1, 1, List.of()).distance())
        .contains("moved: 60 ns, then 400");
    assertThat(new Conditions(400, 420, 0, 0, 0, 1, 1, List.of()).distance())
        .isEqualTo("the cores are far");
  }

  @Test
  void shouldSayWhatACoreGetsDoneOfWhatItCan() throws Exception {
    CoreThroughput throughput = new CoreThroughput();
    throughput.measure();
    throughput.measure();
    double[] shares = throughput.shares();
    assertThat(shares).hasSize(2);
    assertThat(shares[0]).isBetween(0.0, 1.0);
    assertThat(shares[1]).isBetween(0.0, 1.0);
    throughput.measure();
    assertThat(throughput.shares()).hasSize(1);
    Conditions found = new Conditions(90, 90, 0.5, 0, 0, Double.NaN, 3, List.of());
    assertThat(found).asString().contains("throughput of a core unknown");
    assertThat(found.withThroughput(0.5, 0.7, 1)).asString().contains("of a core 70 %");
  }

  @Test
  void shouldWatch() throws Exception {
    Conditions found = MachineMonitor.start().stop();
    assertThat(found.coreToCore()).isPositive();
    assertThat(found.others()).isBetween(0.0, 1.0);
  }
}
