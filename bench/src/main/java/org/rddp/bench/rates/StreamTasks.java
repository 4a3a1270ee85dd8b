package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import org.rddp.bench.harness.Json;

/** Tasks for the rigs of streams. */
final class StreamTasks {
  /** Goodput is measured with as much under way as TCP's window takes, and twice that. */
  private static final long UNDER_WAY = 2L << 20;

  private static final long MOST = 256;

  private StreamTasks() {}

  /** So many messages outstanding at the most. */
  static JsonObject outstanding(int octets, long outstanding, int millis) {
    return Json.of("octets", octets, "outstanding", outstanding, "millis", millis);
  }

  /** As many octets under way as do any good. */
  static JsonObject stream(int octets, int millis) {
    long outstanding = Math.clamp(UNDER_WAY / octets, 2, MOST);
    JsonObject task = outstanding(octets, outstanding, millis);
    task.addProperty("stream", true);
    return task;
  }
}
