package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.rddp.daemon.log.DaemonEvents;
import org.rddp.ip.Association;
import org.rddp.ip.EspCounters;
import org.rddp.ip.IpSecurity;

/**
 * Warns of security associations of one interface whose lifetime or numbers end, once of each, and
 * at most once a minute of packets that were dropped for reasons of security. Control thread only.
 */
final class EspAlarm {
  static final List<PublishedValue<EspAlarm>> VALUES =
      List.of(
          PublishedValue.gauge(
              "esp_associations_ending",
              "Security associations after their soft lifetime; others should take their places.",
              EspAlarm::ending),
          PublishedValue.gauge(
              "esp_associations_over",
              "Security associations after their hard lifetime, which carry nothing more.",
              EspAlarm::over));

  private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

  /** What is warned of, by its words in the log. */
  private static final Map<String, ToLongFunction<EspCounters>> REASONS = new LinkedHashMap<>();

  static {
    REASONS.put("received again", counters -> counters.replayed);
    REASONS.put("not authentic", counters -> counters.forged);
    REASONS.put("in clear where ESP is required", counters -> counters.clear);
    REASONS.put("in an association that is not for them", counters -> counters.mismatched);
    REASONS.put("not sent for want of an association", counters -> counters.noAssociation);
  }

  private final String name;
  private final List<IpSecurity> engines;
  private final DaemonEvents events;

  /** Associations that have been warned of. */
  private final Set<Association> ending = new HashSet<>();

  private final Set<Association> over = new HashSet<>();

  /** The counters at the last warning, by reason. */
  private final Map<String, Long> told = new LinkedHashMap<>();

  private long warnedAt = System.nanoTime() - PAUSE;

  /**
   * Creates an alarm, not raised.
   *
   * @param name of the interface
   * @param engines the security of each of its engines
   */
  EspAlarm(String name, List<IpSecurity> engines, DaemonEvents events) {
    this.name = name;
    this.engines = List.copyOf(engines);
    this.events = events;
  }

  /** Creates an alarm, with its counters, for each interface that has a security policy. */
  static List<EspAlarm> ofAll(
      List<InterfaceEngine> ports, Statistics statistics, DaemonEvents events) {
    Map<String, List<InterfaceEngine>> secured =
        ports.stream()
            .filter(each -> each.engine().tcp().security() != null)
            .collect(Collectors.groupingBy(InterfaceEngine::name));
    List<EspAlarm> alarms = new ArrayList<>();
    secured.forEach((name, engines) -> {
      EspAlarm alarm =
          new EspAlarm(
              name, engines.stream().map(each -> each.engine().tcp().security()).toList(), events);
      statistics.add(engines.getFirst().engine().name(), VALUES, () -> alarm);
      alarms.add(alarm);
    });
    return alarms;
  }

  /** Associations after their soft lifetime, whose place another one should take. */
  long ending() {
    return (long) ending.size() - over.size();
  }

  /** Associations after their hard lifetime, or without numbers. */
  long over() {
    return over.size();
  }

  /** Warns of what has happened since the last call. */
  void check() {
    long now = System.nanoTime();
    List<Association> all = engines.getFirst().associations();
    Set<Association> present = new HashSet<>(all);
    ending.retainAll(present);
    over.retainAll(present);
    for (Association each : all) {
      if (each.isSoftOver(now) && ending.add(each)) {
        events.warn(described(each) + " nears its end: replace it");
      }
      if (each.isOver(now) && over.add(each)) {
        ending.add(each);
        events.warn("ALARM: " + described(each) + " is over, and carries nothing more");
      }
    }
    if (now - warnedAt >= PAUSE) {
      warnOfPackets(now);
    }
  }

  private String described(Association each) {
    return "%s: security association 0x%08x to %s"
        .formatted(name, each.settings().spi(), each.settings().destination());
  }

  private void warnOfPackets(long now) {
    List<String> found = new ArrayList<>();
    REASONS.forEach((words, counter) -> {
      long count = engines.stream().mapToLong(each -> counter.applyAsLong(each.counters())).sum();
      long more = count - told.getOrDefault(words, 0L);
      if (more > 0) {
        told.put(words, count);
        found.add(more + " " + words);
      }
    });
    if (!found.isEmpty()) {
      warnedAt = now;
      events.warn("ALARM: " + name + ": packets dropped: " + String.join(", ", found));
    }
  }
}
