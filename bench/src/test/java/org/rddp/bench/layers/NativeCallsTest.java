package org.rddp.bench.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.bench.ForkedJvm;

/**
 * Native calls for messages between two engines over DPDK's net_ring: per turn and per batch of
 * packets, never per message. Where there is no DPDK nothing is counted; in CI that fails.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NativeCallsTest {
  private static final String LONE_WRITES = "WRITE,64,1,2000,true";
  private static final String LONE_SENDS = "SEND,64,1,2000,true";
  private static final String LONE_READS = "READ,64,1,2000,true";
  private static final String PACKED_WRITES = "WRITE,64,64,200,true";
  private static final String WRITES = "WRITE,64,64,200,false";
  private static final String BULK = "WRITE,65536,8,50,true";

  /** Packets that move at once between an engine's own stack and the mempool. */
  private static final int BATCH = 64;

  private final Map<String, JsonObject> counted = new HashMap<>();

  @BeforeAll
  void count() throws Exception {
    assumeTrue(
        System.getenv("CI") != null || Files.exists(Path.of(System.getProperty("rddp.native"))),
        "the shim over DPDK has not been built");
    List<String> workloads =
        List.of(LONE_WRITES, LONE_SENDS, LONE_READS, PACKED_WRITES, WRITES, BULK);
    List<String> arguments = new ArrayList<>(List.of("net_ring"));
    arguments.addAll(workloads);
    List<String> found = ForkedJvm.run(Census.class, List.of("-Drddp.crc32c=jdk"), arguments);
    assertThat(found).hasSameSizeAs(workloads);
    for (int i = 0; i < workloads.size(); i++) {
      counted.put(workloads.get(i), JsonParser.parseString(found.get(i)).getAsJsonObject());
    }
  }

  private static long times(JsonObject counts, String name) {
    return counts.has(name) ? counts.getAsJsonObject(name).get("times").getAsLong() : 0;
  }

  /**
   * One call receives in each turn and one sends in those that have something to send. The link
   * allocates its copies of short frames with one more call when it sends; a real device needs
   * none. Every 20 us an engine asks for its processor, which programs are told.
   */
  @ParameterizedTest
  @ValueSource(strings = {LONE_WRITES, LONE_SENDS, LONE_READS, PACKED_WRITES, WRITES})
  void shouldCallOncePerTurnAndBatch(String workload) {
    JsonObject found = counted.get(workload);
    JsonObject calls = found.getAsJsonObject("calls");
    long turns = found.get("turns").getAsLong();
    long frames = times(found.getAsJsonObject("copies"), "RingOutput.copy");
    long sending = times(calls, "Native.txBurst");

    assertThat(calls.keySet())
        .isSubsetOf(
            "Native.rxBurst",
            "Native.txBurst",
            "Native.allocBulk",
            "Native.freeBulk",
            "ThreadScheduling.currentProcessor");
    assertThat(times(calls, "ThreadScheduling.currentProcessor")).isLessThanOrEqualTo(turns);
    assertThat(times(calls, "Native.rxBurst")).isEqualTo(turns);
    assertThat(sending).isPositive().isLessThanOrEqualTo(turns);
    long batches = frames / BATCH + 2;
    assertThat(times(calls, "Native.allocBulk")).isLessThanOrEqualTo(sending + batches);
    assertThat(times(calls, "Native.freeBulk")).isLessThanOrEqualTo(2 * batches);
  }

  /**
   * Bulk uses long packets, which hold many segments: separate calls allocate and release each of
   * them. The link passes them on; it copies the acknowledgments only.
   */
  @Test
  void shouldCallForEachLongPacketAndNotForEachSegment() {
    JsonObject found = counted.get(BULK);
    JsonObject calls = found.getAsJsonObject("calls");
    long trains = times(calls, "Native.alloc");
    long segments = found.get("requests").getAsLong() * (65536 / 1448);

    assertThat(times(calls, "Native.rxBurst")).isEqualTo(found.get("turns").getAsLong());
    assertThat(trains).isPositive();
    assertThat(times(calls, "Native.free")).isPositive().isLessThanOrEqualTo(2 * trains);
    assertThat(5 * trains).isLessThan(segments);
  }

  @Test
  void shouldCopyNoLongFrame() {
    JsonObject copies = counted.get(BULK).getAsJsonObject("copies");
    long times = times(copies, "RingOutput.copy");
    long octets = copies.getAsJsonObject("RingOutput.copy").get("octets").getAsLong();

    assertThat(octets).isLessThan(128 * times);
  }

  @ParameterizedTest
  @ValueSource(strings = {PACKED_WRITES, WRITES})
  void shouldCallLessThanOnceForEightMessages(String workload) {
    JsonObject found = counted.get(workload);
    JsonObject calls = found.getAsJsonObject("calls");

    long all = calls.keySet().stream().mapToLong(name -> times(calls, name)).sum();

    assertThat(8 * all).isLessThan(found.get("requests").getAsLong());
  }
}
