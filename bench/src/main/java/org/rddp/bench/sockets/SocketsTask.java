package org.rddp.bench.sockets;

import com.google.gson.JsonObject;
import org.rddp.bench.harness.Json;

/**
 * A round of {@link SocketsRig}.
 *
 * @param connections of redis-benchmark; 0 for iperf3
 * @param count requests, or seconds of iperf3
 */
record SocketsTask(int connections, int count) {
  static SocketsTask redis(int connections, int requests) {
    return new SocketsTask(connections, requests);
  }

  static SocketsTask iperf(int seconds) {
    return new SocketsTask(0, seconds);
  }

  static SocketsTask fromJson(JsonObject json) {
    return Json.to(json, SocketsTask.class);
  }

  JsonObject toJson() {
    return Json.from(this);
  }

  boolean isRedis() {
    return connections > 0;
  }
}
