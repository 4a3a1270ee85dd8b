package org.rddp.daemon;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.rddp.daemon.configuration.TimeSpan;
import org.rddp.daemon.engine.Engine;

/** Closes all connections gracefully, waits until they have ended, and logs what it waits for. */
final class Drain {
  /** Longest wait in ns for an engine's answer. */
  private static final long ANSWER_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

  private final List<Engine> engines;
  private final long timeout;
  private final Consumer<String> log;

  /**
   * Creates a drain.
   *
   * @param timeout longest wait for the connections in ns
   * @param log gets a line at the beginning, and one at the end
   */
  Drain(List<Engine> engines, long timeout, Consumer<String> log) {
    this.engines = new ArrayList<>(engines);
    this.timeout = timeout;
    this.log = log;
  }

  /** Closes the connections; returns when none is left, or at the timeout. */
  void run() throws InterruptedException {
    Map<String, Integer> open = connections();
    if (open.isEmpty()) {
      log.accept("the daemon ends; there are no connections");
    } else {
      log.accept(
          "the daemon ends: it accepts no programs and no peers any more, and %s may take %s"
                  .formatted(describe(open), TimeSpan.format(timeout))
              + " (drain-timeout) to end");
    }
    long start = System.nanoTime();
    for (Engine engine : engines) {
      engine.execute(engine::closeGracefully);
    }
    Map<String, Integer> left = connections();
    while (!left.isEmpty() && System.nanoTime() - start < timeout) {
      TimeUnit.MILLISECONDS.sleep(2);
      left = connections();
    }
    if (!left.isEmpty()) {
      log.accept("the drain-timeout is over: " + describe(left) + " did not end and are reset");
    } else if (!open.isEmpty()) {
      log.accept("all connections have ended in order");
    }
  }

  private static String describe(Map<String, Integer> connections) {
    int all = connections.values().stream().mapToInt(Integer::intValue).sum();
    return connections.entrySet().stream()
        .map(each -> each.getValue() + " of " + each.getKey())
        .collect(Collectors.joining(", ", "connections (" + all + ": ", ")"));
  }

  /** The number of connections of each interface with any, from engines that answer in time. */
  private Map<String, Integer> connections() throws InterruptedException {
    Map<String, Integer> counted = new ConcurrentHashMap<>();
    CountDownLatch asked = new CountDownLatch(engines.size());
    for (Engine engine : engines) {
      engine.execute(() -> {
        counted.put(engine.name(), engine.connectionCount());
        asked.countDown();
      });
    }
    if (!asked.await(ANSWER_TIMEOUT, TimeUnit.NANOSECONDS)) {
      // Do not ask the others again: each time would take as long.
      engines.removeIf(engine -> !counted.containsKey(engine.name()));
    }
    Map<String, Integer> inOrder = new LinkedHashMap<>();
    for (Engine engine : engines) {
      int count = counted.get(engine.name());
      if (count > 0) {
        inOrder.put(engine.name(), count);
      }
    }
    return inOrder;
  }
}
