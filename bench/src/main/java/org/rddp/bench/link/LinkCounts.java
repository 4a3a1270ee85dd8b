package org.rddp.bench.link;

import com.google.gson.JsonObject;

/**
 * What a link has done since its shape was set, both directions together.
 *
 * @param frames with TCP in them that came
 * @param lost by chance
 * @param dropped because the queue was full
 */
public record LinkCounts(long frames, long lost, long dropped) {
  LinkCounts plus(LinkCounts other) {
    return new LinkCounts(frames + other.frames, lost + other.lost, dropped + other.dropped);
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("frames", frames);
    json.addProperty("lost", lost);
    json.addProperty("dropped", dropped);
    return json;
  }

  static LinkCounts fromJson(JsonObject json) {
    return new LinkCounts(
        json.get("frames").getAsLong(),
        json.get("lost").getAsLong(),
        json.get("dropped").getAsLong());
  }
}
