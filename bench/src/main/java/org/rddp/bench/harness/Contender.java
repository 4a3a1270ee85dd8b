package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import java.util.List;

/**
 * A contender of a comparison.
 *
 * @param name in tables, such as {@code rddp} or {@code kernel TCP, busy-polling}
 * @param rig that does the tasks
 * @param arguments for {@link Rig#open}
 * @param flags of its JVM, beside those of this one
 */
public record Contender(
    String name, Class<? extends Rig> rig, JsonObject arguments, List<String> flags) {
  /** A contender whose rig needs no arguments. */
  public static Contender of(String name, Class<? extends Rig> rig) {
    return new Contender(name, rig, new JsonObject(), List.of());
  }

  /** A copy with another argument. */
  public Contender with(String key, String value) {
    JsonObject more = arguments.deepCopy();
    more.addProperty(key, value);
    return new Contender(name, rig, more, flags);
  }

  /** A copy with another argument. */
  public Contender with(String key, Number value) {
    JsonObject more = arguments.deepCopy();
    more.addProperty(key, value);
    return new Contender(name, rig, more, flags);
  }

  /** A copy with these flags for its JVM. */
  public Contender withFlags(String... more) {
    return new Contender(name, rig, arguments, List.of(more));
  }
}
