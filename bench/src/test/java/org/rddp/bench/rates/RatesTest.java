package org.rddp.bench.rates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.bench.harness.Budget;
import org.rddp.bench.harness.Comparison;
import org.rddp.bench.harness.Contender;
import org.rddp.bench.harness.ContenderResult;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.harness.Rig;

/**
 * Each rig does its task for some milliseconds. What it counts has arrived, since a rig fails if a
 * message does not. Rigs that the machine does not allow are skipped.
 */
@Timeout(180)
class RatesTest {
  private static final String NAME = "it";

  private final Progress progress =
      new Progress(
          new PrintStream(OutputStream.nullOutputStream(), false), Budget.of(Duration.ZERO));

  /** Does the tasks, one after the other, and returns the result of each. */
  private List<ContenderResult> done(Contender entrant, JsonObject... tasks) throws Exception {
    List<ContenderResult> all = new ArrayList<>();
    try (Comparison contest = new Comparison(List.of(quick(entrant)), progress)) {
      for (JsonObject task : tasks) {
        ContenderResult found = contest.run("test", task, 1).of(NAME);
        boolean failed = found.samples().isEmpty() && found.reason().startsWith("failed");
        assertThat(failed).as(found.reason()).isFalse();
        assumeTrue(!found.samples().isEmpty(), found.reason());
        all.add(found);
      }
    }
    return all;
  }

  /** Without the warm-up of vectors, and without C2, which pays only after seconds. */
  private static Contender quick(Contender entrant) {
    return entrant.withFlags("-Drddp.without-vectors=true", "-XX:TieredStopAtLevel=1");
  }

  private static Contender rig(Class<? extends Rig> rig) {
    return Contender.of(NAME, rig);
  }

  private static double figure(ContenderResult outcome, String name) {
    return outcome.figure(name).orElseThrow().median();
  }

  @Test
  void shouldWriteOneWay() throws Exception {
    Contender entrant = rig(RddpStreamRig.class).with("mtu", 9000).with("packing", "true");
    List<ContenderResult> found =
        done(
            entrant,
            StreamTasks.outstanding(64, 16, 10),
            StreamTasks.outstanding(8, 1, 10),
            StreamTasks.stream(1 << 20, 10));
    for (ContenderResult each : found) {
      assertThat(figure(each, "messages")).isPositive();
      assertThat(figure(each, "rate")).isPositive();
      assertThat(figure(each, "cpu_ns")).isPositive();
    }
  }

  @Test
  void shouldGoInEspAndInClear() throws Exception {
    for (String policy : List.of("require", "bypass")) {
      Contender entrant = rig(RddpStreamRig.class).with("ipsec", policy).with("crc", "false");
      ContenderResult found = done(entrant, StreamTasks.stream(1 << 16, 10)).getFirst();
      assertThat(figure(found, "messages")).isPositive();
    }
    Contender single = rig(ConnectionsRig.class).with("trains", "false").with("connections", 1);
    assertThat(figure(done(single, Json.of("spread", false, "millis", 10)).getFirst(), "count"))
        .isPositive();
  }

  @Test
  void shouldMeasureTheFirstSecond() throws Exception {
    Contender entrant = quick(rig(StartRig.class).with(StartRig.WARM_UP, 0));
    try (Comparison contest = new Comparison(List.of(entrant), progress)) {
      for (boolean trips : new boolean[] {false, true}) {
        JsonObject task = Json.of("trips", trips, "millis", 1000);
        ContenderResult found = contest.runCold("test", task, 1).of(NAME);
        assertThat(figure(found, "ready_ms")).as(found.reason()).isPositive();
        assertThat(figure(found, trips ? "p99_9" : "gbps_9")).isNotNegative();
        assertThat(figure(found, "warm")).isNotNegative();
      }
    }
  }

  @Test
  void shouldSendOneWayOverTheKernel() throws Exception {
    Contender entrant =
        rig(KernelStreamRig.class).with("mtu", 1500).with("offloads", "false").with("batch", 64);
    List<ContenderResult> found =
        done(entrant, StreamTasks.outstanding(64, 16, 10), StreamTasks.stream(1 << 16, 10));
    for (ContenderResult each : found) {
      assertThat(figure(each, "messages")).isPositive();
      assertThat(figure(each, "gbps")).isPositive();
    }
  }

  @Test
  void shouldKnowACeiling() throws Exception {
    ContenderResult found =
        done(rig(CeilingRig.class).with("mtu", 1500), Json.of("millis", 10)).getFirst();
    assertThat(figure(found, "gbps")).isPositive();
    assertThat(figure(found, "device_ns")).isPositive();
  }

  @Test
  void shouldGoToAndFroBesideAStream() throws Exception {
    List<ContenderResult> found =
        done(
            rig(FairnessRig.class),
            Json.of("bulk", 0, "trips", true, "millis", 10),
            Json.of("bulk", 1 << 16, "trips", true, "millis", 20),
            Json.of("bulk", 1 << 16, "trips", false, "millis", 20));
    assertThat(figure(found.get(0), "count")).isPositive();
    assertThat(figure(found.get(0), "bulk_gbps")).isZero();
    assertThat(figure(found.get(1), "count")).isPositive();
    assertThat(figure(found.get(1), "bulk_messages")).isPositive();
    assertThat(found.get(2).figure("count")).isEmpty();
    assertThat(figure(found.get(2), "bulk_gbps")).isPositive();
  }

  @Test
  void shouldGoToAndFroAmongConnections() throws Exception {
    List<ContenderResult> found =
        done(
            rig(ConnectionsRig.class).with("connections", 40),
            Json.of("spread", false, "millis", 10),
            Json.of("spread", true, "millis", 10));
    for (ContenderResult each : found) {
      assertThat(figure(each, "count")).isPositive();
      assertThat(figure(each, "heap_octets")).isPositive();
      assertThat(figure(each, "heap_of_each")).isLessThan(figure(each, "heap_octets"));
    }
  }

  @Test
  void shouldGoOnWithMixedTraffic() throws Exception {
    List<ContenderResult> found =
        done(rig(SteadyRig.class).with("markers", "true"), Json.of("millis", 20));
    ContenderResult first = found.getFirst();
    assertThat(figure(first, "messages")).isPositive();
    assertThat(figure(first, "received")).isBetween(1.0, figure(first, "messages") / 2);
    assertThat(figure(first, "gbps")).isPositive();
  }

  @Test
  void shouldOpenConnections() throws Exception {
    List<ContenderResult> found =
        done(
            rig(SetupRig.class),
            Json.of("pipelined", 1, "millis", 10),
            Json.of("pipelined", 16, "millis", 10));
    for (ContenderResult each : found) {
      assertThat(figure(each, "opened")).isPositive();
    }
  }

  @Test
  void shouldOpenConnectionsOfPrograms() throws Exception {
    ContenderResult found =
        done(rig(ClientSetupRig.class).with("connections", 64), Json.of("connections", 20))
            .getFirst();
    assertThat(figure(found, "rate")).isPositive();
  }

  @Test
  void shouldLookAtAnIdleDaemon() throws Exception {
    ContenderResult found =
        done(
                rig(IdleRig.class).with("idle", "park").with(IdleRig.SETTLING, 0),
                Json.of("millis", 50))
            .getFirst();
    assertThat(figure(found, "start_ms")).isPositive();
    assertThat(figure(found, "resident_octets")).isPositive();
  }
}
