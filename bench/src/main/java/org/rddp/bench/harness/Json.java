package org.rddp.bench.harness;

import com.google.gson.Gson;
import com.google.gson.JsonObject;

/** Converts tasks, arguments and records to JSON objects and back. */
public final class Json {
  private static final Gson GSON = new Gson();

  private Json() {}

  /**
   * An object.
   *
   * @param keysAndValues alternately; a value is a number, a boolean, or else becomes text
   */
  public static JsonObject of(Object... keysAndValues) {
    JsonObject json = new JsonObject();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      String key = keysAndValues[i].toString();
      switch (keysAndValues[i + 1]) {
        case Number number -> json.addProperty(key, number);
        case Boolean flag -> json.addProperty(key, flag);
        case Object text -> json.addProperty(key, text.toString());
      }
    }
    return json;
  }

  /** A record's components by name. */
  public static JsonObject from(Record components) {
    return GSON.toJsonTree(components).getAsJsonObject();
  }

  /** The record that {@link #from} has converted to an object. */
  public static <T extends Record> T to(JsonObject json, Class<T> type) {
    return GSON.fromJson(json, type);
  }

  /** A number's value, or another where the object lacks it. */
  public static int integer(JsonObject json, String key, int otherwise) {
    return json.has(key) ? json.get(key).getAsInt() : otherwise;
  }

  /** A boolean's value, or another where the object lacks it. */
  public static boolean flag(JsonObject json, String key, boolean otherwise) {
    return json.has(key) ? json.get(key).getAsBoolean() : otherwise;
  }

  /** How long a task's round is to take, in ns. */
  public static long nanos(JsonObject task) {
    return task.get("millis").getAsLong() * 1_000_000;
  }
}
