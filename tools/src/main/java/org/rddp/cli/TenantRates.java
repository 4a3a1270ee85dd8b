package org.rddp.cli;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The rates of tenants, from samples of their counts. */
final class TenantRates {
  private static final double NANOS = 1e9;
  private static final int PERCENT = 100;

  /** A tenant on an engine. */
  private record Key(String engine, String tenant) {}

  private record Rated(JsonObject object, RateHistory sent, double held, double lent) {}

  private Map<Key, Rated> tenants = new HashMap<>();
  private long sampledAt;

  /**
   * Takes a sample. A tenant's rates begin with the second sample that has it.
   *
   * @param now in nanoseconds
   */
  void sample(long now, List<JsonObject> objects) {
    double seconds = (now - sampledAt) / NANOS;
    sampledAt = now;
    Map<Key, Rated> next = new HashMap<>();
    for (JsonObject object : objects) {
      Key key = new Key(text(object, "engine"), text(object, "tenant"));
      Rated before = tenants.get(key);
      next.put(
          key,
          before == null
              ? new Rated(object, new RateHistory(), 0, 0)
              : rated(before, object, seconds));
    }
    tenants = next;
  }

  private static Rated rated(Rated before, JsonObject now, double seconds) {
    before.sent.add(rate(before, now, seconds, "sent_octets"));
    double held = Math.min(rate(before, now, seconds, "held_seconds"), 1);
    return new Rated(now, before.sent, held, rate(before, now, seconds, "lent_octets"));
  }

  private static double rate(Rated before, JsonObject now, double seconds, String key) {
    double more = now.get(key).getAsDouble() - before.object.get(key).getAsDouble();
    return Math.max(0, more) / seconds;
  }

  /** A table of the tenants, and an empty line; nothing if there are none. */
  List<String> lines() {
    if (tenants.isEmpty()) {
      return List.of();
    }
    Map<String, Double> totals = new HashMap<>();
    for (Rated each : tenants.values()) {
      totals.merge(text(each.object, "engine"), each.sent.last(), Double::sum);
    }
    List<JsonObject> sorted =
        tenants.values().stream()
            .sorted(
                Comparator.comparing((Rated each) -> text(each.object, "engine"))
                    .thenComparingDouble(each -> -each.sent.last())
                    .thenComparing(each -> text(each.object, "tenant")))
            .map(each -> withRates(each, totals.get(text(each.object, "engine"))))
            .toList();
    List<String> lines = new ArrayList<>(TextTable.TOP_TENANTS.lines(sorted));
    lines.add("");
    return lines;
  }

  /** The tenant's object with its rates as texts. */
  private static JsonObject withRates(Rated tenant, double total) {
    JsonObject object = tenant.object.deepCopy();
    double sent = tenant.sent.last();
    object.addProperty("sent_rate", Quantities.octets(sent) + "/s");
    object.addProperty("sent_line", tenant.sent.sparkline());
    object.addProperty("share", percent(total == 0 ? 0 : sent / total));
    object.addProperty("held", percent(tenant.held));
    object.addProperty("lent_rate", Quantities.octets(tenant.lent) + "/s");
    return object;
  }

  private static String percent(double part) {
    return String.format(Locale.ROOT, "%.0f %%", part * PERCENT);
  }

  private static String text(JsonObject object, String key) {
    return object.get(key).getAsString();
  }
}
