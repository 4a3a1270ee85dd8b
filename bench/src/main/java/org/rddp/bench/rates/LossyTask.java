package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.link.LinkCounts;
import org.rddp.bench.link.LinkSettings;

/**
 * What the rigs on a lossy link do: messages of some length for a time, over a new connection. What
 * a sample then has is {@link #sample}'s.
 *
 * @param octets of a message
 * @param millis that are measured, behind a fifth of that in which the connection finds its pace
 * @param loss share of frames
 * @param rate of the link in Gb/s
 * @param micros delay each way
 */
record LossyTask(int octets, int millis, double loss, double rate, int micros) {
  private static final int QUEUE = 512 << 10;

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("octets", octets);
    json.addProperty("millis", millis);
    json.addProperty("loss", loss);
    json.addProperty("rate", rate);
    json.addProperty("micros", micros);
    return json;
  }

  static LossyTask fromJson(JsonObject json) {
    return new LossyTask(
        json.get("octets").getAsInt(),
        json.get("millis").getAsInt(),
        json.get("loss").getAsDouble(),
        json.get("rate").getAsDouble(),
        json.get("micros").getAsInt());
  }

  /** The link of a round: each round loses other frames, and every contender the same. */
  LinkSettings linkSettings(int round) {
    return new LinkSettings(loss, rate, micros * 1000L, QUEUE, round);
  }

  /** The same link, without loss and delay: for what is to be over soon. */
  LinkSettings losslessLink() {
    return new LinkSettings(0, rate, 0, QUEUE, 1);
  }

  /** How long frames of the round before may be under way, in ns. */
  long drain() {
    return micros * 2000L + 10_000_000;
  }

  /** How long a connection has to find its pace, in ns. */
  long settling() {
    return nanos() / 5;
  }

  /** How long is measured, in ns. */
  long nanos() {
    return millis * 1_000_000L;
  }

  /** Goodput as {@code gbps}; what the link counted as {@code frames, lost, dropped}. */
  static Sample sample(long octets, long nanos, LinkCounts counts) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("gbps", 8.0 * octets / nanos);
    figures.put("frames", (double) counts.frames());
    figures.put("lost", (double) counts.lost());
    figures.put("dropped", (double) counts.dropped());
    return Sample.of(figures);
  }
}
