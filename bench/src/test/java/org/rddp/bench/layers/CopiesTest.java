package org.rddp.bench.layers;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.bench.ForkedJvm;

/**
 * Octets that are copied for a request, from the program that posts it to its completion: payload
 * once into the packet and once out of it, and besides what the table says. The device's copies
 * stand for the wire.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CopiesTest {
  private static final int EXCHANGES = 50;

  /** The purpose of each class's copies. A copy by another class fails the test. */
  private static final Map<String, String> ROLES =
      Map.of(
          "MpaSender", "out",
          "Ulpdu", "in",
          "SubmissionEntry", "ring",
          "WorkRequest", "ring",
          "RequestTable", "ring",
          "OutgoingMessage", "header",
          "LoopedDevice", "device");

  private final Map<String, JsonObject> counted = new HashMap<>();

  @BeforeAll
  void count() throws Exception {
    List<String> workloads = new ArrayList<>();
    for (boolean packing : new boolean[] {true, false}) {
      for (RequestKind kind : RequestKind.values()) {
        workloads.add(workload(kind, 64, 1, packing));
      }
      for (RequestKind kind :
          List.of(RequestKind.WRITE, RequestKind.LISTED_WRITE, RequestKind.SEND)) {
        workloads.add(workload(kind, 64, 64, packing));
      }
      for (RequestKind kind : List.of(RequestKind.WRITE, RequestKind.SEND, RequestKind.READ)) {
        workloads.add(workload(kind, 65_536, 4, packing));
      }
    }
    List<String> arguments = new ArrayList<>(List.of("java"));
    arguments.addAll(workloads);
    // The CRC's vectors would copy in their own way.
    List<String> found = ForkedJvm.run(Census.class, List.of("-Drddp.crc32c=jdk"), arguments);
    assertThat(found).hasSameSizeAs(workloads);
    for (int i = 0; i < workloads.size(); i++) {
      counted.put(workloads.get(i), JsonParser.parseString(found.get(i)).getAsJsonObject());
    }
  }

  private static String workload(RequestKind kind, int octets, int underWay, boolean packing) {
    return kind + "," + octets + "," + underWay + "," + EXCHANGES + "," + packing;
  }

  /**
   * Through the ring go 56 octets for every further slot of a request, and inline data twice more:
   * into the ring, and out of the copy of the request. The headers of RDMA Read Requests (28) and
   * of atomics (52 there, 12 back), and immediate data (8), are messages that the engine has made.
   */
  @ParameterizedTest
  @CsvSource({
    "WRITE,           64,    1,  64,    64,    0,   0",
    "WRITE,           64,    64, 64,    64,    0,   0",
    "WRITE,           65536, 4,  65536, 65536, 0,   0",
    "INLINE_WRITE,    64,    1,  64,    64,    240, 0",
    "LISTED_WRITE,    64,    1,  64,    64,    56,  0",
    "LISTED_WRITE,    64,    64, 64,    64,    56,  0",
    "WRITE_IMMEDIATE, 64,    1,  64,    64,    0,   8",
    "IMMEDIATE,       64,    1,  0,     0,     0,   8",
    "SEND,            64,    1,  64,    64,    0,   0",
    "SEND,            64,    64, 64,    64,    0,   0",
    "SEND,            65536, 4,  65536, 65536, 0,   0",
    "INLINE_SEND,     64,    1,  64,    64,    240, 0",
    "READ,            64,    1,  64,    64,    0,   28",
    "READ,            65536, 4,  65536, 65536, 0,   28",
    "FETCH_ADD,       64,    1,  0,     0,     56,  64",
    "SWAP,            64,    1,  0,     0,     56,  64",
    "COMPARE_SWAP,    64,    1,  0,     0,     56,  64"
  })
  void shouldCopyPayloadOnceEachWay(
      RequestKind kind, int octets, int underWay, int out, int in, int ring, int header) {
    for (boolean packing : new boolean[] {true, false}) {
      JsonObject found = counted.get(workload(kind, octets, underWay, packing));

      Map<String, Long> copied = byRole(found);
      long requests = found.get("requests").getAsLong();
      assertThat(copied.remove("device")).isGreaterThan((out + header) * requests);
      assertThat(copied)
          .as("packing %s", packing)
          .isEqualTo(
              Map.of(
                  "out", out * requests,
                  "in", in * requests,
                  "ring", ring * requests,
                  "header", header * requests));
    }
  }

  private static Map<String, Long> byRole(JsonObject found) {
    Map<String, Long> copied = new HashMap<>();
    ROLES.values().forEach(role -> copied.put(role, 0L));
    for (Map.Entry<String, JsonElement> each : found.getAsJsonObject("copies").entrySet()) {
      String place = each.getKey();
      String role = ROLES.get(place.substring(0, place.indexOf('.')));
      assertThat(role).as("%s copies", place).isNotNull();
      copied.merge(role, each.getValue().getAsJsonObject().get("octets").getAsLong(), Long::sum);
    }
    return copied;
  }
}
