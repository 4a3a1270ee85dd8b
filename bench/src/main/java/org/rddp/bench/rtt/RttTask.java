package org.rddp.bench.rtt;

import com.google.gson.Gson;
import com.google.gson.JsonObject;

/**
 * A round of round trips.
 *
 * @param verb what goes to and fro
 * @param octets of each message, 8 or more, a multiple of 8
 * @param warmUp round trips that are not counted
 * @param count round trips that are
 * @param gap ns between the intended starts of two round trips; 0: each starts when the one before
 *     is back
 * @param millis ms that the counted ones may take together, and as many those that are not: on a
 *     busy machine there are fewer then
 */
record RttTask(Verb verb, int octets, int warmUp, int count, long gap, int millis) {
  private static final int MOST = 2_000;

  private static final Gson GSON = new Gson();

  /** What goes to and fro; peers without such verbs send messages. */
  enum Verb {
    /** A write each way, which the other program finds in its memory. */
    WRITE,
    /** A message each way, for which the other program has posted a receive. */
    SEND,
    /** The other program's memory is read; it takes no part. */
    READ
  }

  /** One after the other. */
  static RttTask closed(Verb verb, int octets, int warmUp, int count) {
    return new RttTask(verb, octets, warmUp, count, 0, MOST);
  }

  /** In so many ms. */
  RttTask within(int most) {
    return new RttTask(verb, octets, warmUp, count, gap, most);
  }

  /** Ns that the counted ones may take. */
  long most() {
    return millis * 1_000_000L;
  }

  /** So many a second. */
  RttTask atRate(int perSecond) {
    return new RttTask(verb, octets, warmUp, count, 1_000_000_000L / perSecond, millis);
  }

  static RttTask fromJson(JsonObject json) {
    return GSON.fromJson(json, RttTask.class);
  }

  JsonObject toJson() {
    return GSON.toJsonTree(this).getAsJsonObject();
  }
}
