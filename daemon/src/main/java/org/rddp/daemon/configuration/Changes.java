package org.rddp.daemon.configuration;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The keys whose values differ between the running configuration and the one read again.
 *
 * @param applied those that a running daemon applies
 * @param restart those that need a restart
 */
public record Changes(List<String> applied, List<String> restart) {
  /** Finds the changes. */
  public static Changes between(Configuration running, Configuration next) {
    Map<String, ConfigurationValue> changed = new LinkedHashMap<>(next.keys());
    running.keys().forEach(changed::putIfAbsent);
    changed.keySet().removeIf(key -> Objects.equals(running.keys().get(key), next.keys().get(key)));
    return new Changes(told(changed, true), told(changed, false));
  }

  private static List<String> told(Map<String, ConfigurationValue> changed, boolean live) {
    return changed.entrySet().stream()
        .filter(each -> each.getValue().live() == live)
        .map(each -> inTable(each.getKey()))
        .distinct()
        .sorted(Comparator.comparing(key -> key.endsWith("]"))) // interfaces at the end
        .toList();
  }

  /** Names a whole table in a table: {@code limits.tenant}, {@code interface[1]}. */
  private static String inTable(String key) {
    String[] parts = key.split("\\.", 3);
    return parts[0].endsWith("]")
        ? parts[0]
        : parts[0] + "." + parts[1].replaceFirst("\\[\\d+]", "");
  }
}
