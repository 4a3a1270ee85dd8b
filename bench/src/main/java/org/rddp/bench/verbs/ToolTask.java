package org.rddp.bench.verbs;

import com.google.gson.JsonObject;
import org.rddp.bench.harness.Json;

/**
 * A round of {@link ToolRig}.
 *
 * @param test {@code lat} or {@code bw}
 * @param operation {@code write}, {@code send} or {@code read}
 * @param octets of a message
 * @param count of messages
 */
record ToolTask(String test, String operation, int octets, int count) {
  static ToolTask fromJson(JsonObject json) {
    return Json.to(json, ToolTask.class);
  }

  JsonObject toJson() {
    return Json.from(this);
  }

  boolean isLatency() {
    return test.equals("lat");
  }
}
