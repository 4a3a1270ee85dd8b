package org.rddp.bench.harness;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * A rig's figures of one round.
 *
 * @param figures by name, such as {@code p50} (ns) or {@code gbps}
 * @param nanoseconds all times measured; null where there are none
 */
public record Sample(Map<String, Double> figures, Histogram nanoseconds) {
  /** A sample without times. */
  public static Sample of(Map<String, Double> figures) {
    return new Sample(figures, null);
  }

  /** A sample of times: p50, p90, p99, p999, max and mean in ns, and count. */
  public static Sample of(Histogram nanoseconds) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("p50", (double) nanoseconds.getValueAtPercentile(50));
    figures.put("p90", (double) nanoseconds.getValueAtPercentile(90));
    figures.put("p99", (double) nanoseconds.getValueAtPercentile(99));
    figures.put("p999", (double) nanoseconds.getValueAtPercentile(99.9));
    figures.put("max", (double) nanoseconds.getMaxValue());
    figures.put("mean", nanoseconds.getMean());
    figures.put("count", (double) nanoseconds.getTotalCount());
    return new Sample(figures, nanoseconds);
  }

  /** A copy with another figure. */
  public Sample with(String name, double value) {
    Map<String, Double> more = new LinkedHashMap<>(figures);
    more.put(name, value);
    return new Sample(more, nanoseconds);
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    JsonObject all = new JsonObject();
    figures.forEach(all::addProperty);
    json.add("figures", all);
    if (nanoseconds != null) {
      ByteBuffer octets = ByteBuffer.allocate(nanoseconds.getNeededByteBufferCapacity());
      int length = nanoseconds.encodeIntoCompressedByteBuffer(octets);
      byte[] encoded = new byte[length];
      octets.get(0, encoded);
      json.addProperty("histogram", Base64.getEncoder().encodeToString(encoded));
    }
    return json;
  }

  static Sample fromJson(JsonObject json) {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (Map.Entry<String, JsonElement> each : json.getAsJsonObject("figures").entrySet()) {
      figures.put(each.getKey(), each.getValue().getAsDouble());
    }
    if (!json.has("histogram")) {
      return of(figures);
    }
    byte[] encoded = Base64.getDecoder().decode(json.get("histogram").getAsString());
    try {
      return new Sample(
          figures, Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(encoded), 0));
    } catch (DataFormatException e) {
      throw new IllegalStateException("not a histogram", e);
    }
  }
}
