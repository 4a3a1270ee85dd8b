package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import org.rddp.bench.harness.Json;

/** Tasks for rigs that stream messages one way. */
public final class StreamTasks {
  /** Octets under way: twice TCP's window. */
  private static final long UNDER_WAY = 2L << 20;

  private static final long MOST = 256;

  private StreamTasks() {}

  /** At most {@code outstanding} messages outstanding. */
  static JsonObject outstanding(int octets, long outstanding, int millis) {
    return Json.of("octets", octets, "outstanding", outstanding, "millis", millis);
  }

  /** How tables write a message's octets: in KiB, or in MiB from 1 MiB on. */
  public static String size(int octets) {
    return octets < 1 << 20 ? (octets >> 10) + " KiB" : (octets >> 20) + " MiB";
  }

  /** As many messages outstanding as increase goodput. */
  public static JsonObject stream(int octets, int millis) {
    long outstanding = Math.clamp(UNDER_WAY / octets, 2, MOST);
    JsonObject task = outstanding(octets, outstanding, millis);
    task.addProperty("stream", true);
    return task;
  }
}
