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
import org.rddp.bench.method.Budget;
import org.rddp.bench.method.Contest;
import org.rddp.bench.method.Entrant;
import org.rddp.bench.method.Outcome;
import org.rddp.bench.method.Progress;
import org.rddp.bench.method.Rig;

/**
 * Each rig does what it is asked to, for some milliseconds: what it counts has really gone over,
 * since a rig fails over a message that does not come. Those that the machine does not allow are
 * left out.
 */
@Timeout(180)
class RatesTest {
  private static final String NAME = "it";

  private final Progress progress =
      new Progress(
          new PrintStream(OutputStream.nullOutputStream(), false), Budget.of(Duration.ZERO));

  /** Does the tasks, one after the other, and gives what came of each. */
  private List<Outcome> done(Entrant entrant, JsonObject... tasks) throws Exception {
    List<Outcome> all = new ArrayList<>();
    // Without the trial of what is quickest, which takes seconds.
    Entrant quick = entrant.withFlags("-Drddp.crc32c=jdk");
    try (Contest contest = new Contest(List.of(quick), progress)) {
      for (JsonObject task : tasks) {
        Outcome found = contest.run("test", task, 1).of(NAME);
        boolean failed = found.samples().isEmpty() && found.reason().startsWith("failed");
        assertThat(failed).as(found.reason()).isFalse();
        assumeTrue(!found.samples().isEmpty(), found.reason());
        all.add(found);
      }
    }
    return all;
  }

  private static Entrant rig(Class<? extends Rig> rig) {
    return Entrant.of(NAME, rig);
  }

  private static double figure(Outcome outcome, String name) {
    return outcome.figure(name).orElseThrow().median();
  }

  private static JsonObject task(Object... words) {
    JsonObject task = new JsonObject();
    for (int i = 0; i < words.length; i += 2) {
      if (words[i + 1] instanceof Boolean flag) {
        task.addProperty(words[i].toString(), flag);
      } else {
        task.addProperty(words[i].toString(), (Number) words[i + 1]);
      }
    }
    return task;
  }

  @Test
  void shouldWriteOneWay() throws Exception {
    Entrant entrant = rig(RddpStreamRig.class).with("mtu", 9000).with("packing", "true");
    List<Outcome> found =
        done(
            entrant,
            Tasks.outstanding(64, 16, 10),
            Tasks.outstanding(8, 1, 10),
            Tasks.stream(1 << 20, 10));
    for (Outcome each : found) {
      assertThat(figure(each, "messages")).isPositive();
      assertThat(figure(each, "rate")).isPositive();
      assertThat(figure(each, "cpu_ns")).isPositive();
    }
  }

  @Test
  void shouldSendOneWayOverTheKernel() throws Exception {
    Entrant entrant =
        rig(KernelStreamRig.class).with("mtu", 1500).with("offloads", "false").with("batch", 64);
    List<Outcome> found = done(entrant, Tasks.outstanding(64, 16, 10), Tasks.stream(1 << 16, 10));
    for (Outcome each : found) {
      assertThat(figure(each, "messages")).isPositive();
      assertThat(figure(each, "gbps")).isPositive();
    }
  }

  @Test
  void shouldKnowACeiling() throws Exception {
    Outcome found = done(rig(CeilingRig.class).with("mtu", 1500), task("millis", 10)).getFirst();
    assertThat(figure(found, "gbps")).isPositive();
    assertThat(figure(found, "device_ns")).isPositive();
  }

  @Test
  void shouldGoToAndFroBesideAStream() throws Exception {
    List<Outcome> found =
        done(
            rig(FairnessRig.class),
            task("bulk", 0, "millis", 10),
            task("bulk", 1 << 16, "millis", 20));
    assertThat(figure(found.get(0), "count")).isPositive();
    assertThat(figure(found.get(0), "bulk_gbps")).isZero();
    assertThat(figure(found.get(1), "count")).isPositive();
    assertThat(figure(found.get(1), "bulk_messages")).isPositive();
  }

  @Test
  void shouldGoToAndFroAmongConnections() throws Exception {
    List<Outcome> found =
        done(
            rig(ConnectionsRig.class).with("connections", 40),
            task("spread", false, "millis", 10),
            task("spread", true, "millis", 10));
    for (Outcome each : found) {
      assertThat(figure(each, "count")).isPositive();
      assertThat(figure(each, "heap_octets")).isPositive();
      assertThat(figure(each, "heap_of_each")).isLessThan(figure(each, "heap_octets"));
    }
  }

  @Test
  void shouldGoOnWithMixedTraffic() throws Exception {
    List<Outcome> found = done(rig(SteadyRig.class).with("markers", "true"), task("millis", 20));
    Outcome first = found.getFirst();
    assertThat(figure(first, "messages")).isPositive();
    assertThat(figure(first, "received")).isBetween(1.0, figure(first, "messages") / 2);
    assertThat(figure(first, "gbps")).isPositive();
  }

  @Test
  void shouldOpenConnections() throws Exception {
    List<Outcome> found =
        done(
            rig(SetupRig.class),
            task("pipelined", 1, "millis", 10),
            task("pipelined", 16, "millis", 10));
    for (Outcome each : found) {
      assertThat(figure(each, "opened")).isPositive();
    }
  }

  @Test
  void shouldOpenConnectionsOfPrograms() throws Exception {
    Outcome found =
        done(rig(ClientSetupRig.class).with("connections", 64), task("connections", 20)).getFirst();
    assertThat(figure(found, "rate")).isPositive();
  }

  @Test
  void shouldLookAtAnIdleDaemon() throws Exception {
    Outcome found = done(rig(IdleRig.class).with("idle", "park"), task("millis", 50)).getFirst();
    assertThat(figure(found, "start_ms")).isPositive();
    assertThat(figure(found, "resident_octets")).isPositive();
  }
}
