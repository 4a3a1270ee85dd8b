package org.rddp.bench.layers;

import com.google.gson.JsonObject;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;

/**
 * The process in which copies and native calls of the hot path are counted: its classes come from a
 * {@link CountingLoader}. It runs workloads, under a clock of its own, and prints what it has
 * counted: a line of JSON for each.
 */
public final class Census {
  /** Exchanges that are not counted. */
  private static final int WARM_UP = 20;

  private Census() {}

  /**
   * Counts.
   *
   * @param arguments the device (net_ring, java), and workloads: {@code
   *     kind,octets,underWay,exchanges,packing}
   */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    Class<?> counting = Class.forName(Census.class.getName(), true, new CountingLoader());
    try {
      counting.getMethod("run", String[].class).invoke(null, (Object) arguments);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Counts, in the rewritten classes. */
  public static void run(String[] arguments) throws Exception {
    DeviceBenchmark.Link link = new DeviceBenchmark.Link();
    link.device = arguments[0];
    link.open();
    for (int i = 1; i < arguments.length; i++) {
      String[] workload = arguments[i].split(",", -1);
      EnginePair engines =
          new EnginePair(
              link.one(),
              link.two(),
              Integer.parseInt(workload[1]),
              Boolean.parseBoolean(workload[4]));
      RequestKind kind = RequestKind.valueOf(workload[0]);
      JsonObject found =
          count(engines, kind, Integer.parseInt(workload[2]), Integer.parseInt(workload[3]));
      System.out.println(found);
    }
    link.close();
  }

  private static JsonObject count(EnginePair engines, RequestKind kind, int batch, int times) {
    for (int i = 0; i < WARM_UP; i++) {
      engines.exchange(kind, batch);
    }
    long turns = engines.turns();
    Counted.begin();
    for (int i = 0; i < times; i++) {
      engines.exchange(kind, batch);
    }
    Counted.end();
    JsonObject found = new JsonObject();
    // Of both engines.
    found.addProperty("turns", 2 * (engines.turns() - turns));
    found.addProperty("requests", times * batch);
    found.add("copies", json(Counted.copies()));
    found.add("calls", json(Counted.calls()));
    return found;
  }

  private static JsonObject json(Map<String, Counted.Count> counts) {
    JsonObject json = new JsonObject();
    counts.forEach((name, count) -> {
      JsonObject each = new JsonObject();
      each.addProperty("times", count.times());
      each.addProperty("octets", count.octets());
      json.add(name, each);
    });
    return json;
  }
}
