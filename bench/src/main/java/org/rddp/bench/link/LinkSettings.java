package org.rddp.bench.link;

import com.google.gson.JsonObject;

/**
 * What a link does to frames, the same in both directions.
 *
 * @param loss share of the frames with TCP in them that are lost, 0 to 1
 * @param gbps octets of frames leave at this rate, in Gb/s
 * @param delay of each frame behind that, in ns
 * @param queue octets that may wait to leave; a frame that finds no room is dropped
 * @param seed which frames are lost, by their number
 */
public record LinkSettings(double loss, double gbps, long delay, int queue, long seed) {
  /** Checks the ranges. */
  public LinkSettings {
    if (!(loss >= 0 && loss <= 1) || !(gbps > 0) || delay < 0 || queue < 1) {
      throw new IllegalArgumentException(
          "no link: loss " + loss + ", " + gbps + " Gb/s, " + delay + " ns, queue " + queue);
    }
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("loss", loss);
    json.addProperty("gbps", gbps);
    json.addProperty("delay", delay);
    json.addProperty("queue", queue);
    json.addProperty("seed", seed);
    return json;
  }

  static LinkSettings fromJson(JsonObject json) {
    return new LinkSettings(
        json.get("loss").getAsDouble(),
        json.get("gbps").getAsDouble(),
        json.get("delay").getAsLong(),
        json.get("queue").getAsInt(),
        json.get("seed").getAsLong());
  }
}
