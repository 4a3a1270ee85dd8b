package org.rddp.daemon.configuration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The keys whose values differ between the running configuration and the one read again.
 *
 * @param applied those that a running daemon applies
 * @param restart those that need a restart
 */
public record Changes(List<String> applied, List<String> restart) {
  /** The tables in the order in which their changes are told. */
  private static final List<String> TABLES =
      List.of("control", "limits", "log", "dpdk", "engine", "metrics");

  private static final Set<String> APPLIED = Set.of("control", "limits", "log");

  /** Keys that need a restart, in tables that are otherwise applied. */
  private static final Set<String> FIXED =
      Set.of(
          "control.socket",
          "limits.send-queue",
          "limits.receive-queue",
          "limits.tenant",
          "log.format",
          "log.lines-per-second");

  /** Finds the changes. */
  public static Changes between(Configuration running, Configuration next) {
    Changes changes = new Changes(new ArrayList<>(), new ArrayList<>());
    Set<String> keys = new LinkedHashSet<>(running.keys().keySet());
    keys.addAll(next.keys().keySet());
    keys.removeIf(key -> Objects.equals(running.keys().get(key), next.keys().get(key)));
    for (String table : TABLES) {
      keys.stream()
          .filter(key -> key.startsWith(table + "."))
          .map(Changes::inTable)
          .distinct()
          .forEach(key ->
              (APPLIED.contains(table) && !FIXED.contains(key) ? changes.applied : changes.restart)
                  .add(key));
    }
    int most = Math.max(running.interfaces().size(), next.interfaces().size());
    for (int i = 0; i < most; i++) {
      InterfaceConfiguration before = at(running, i);
      if (!Objects.equals(before, at(next, i))) {
        changes.restart.add("interface[" + (i + 1) + "]");
      }
    }
    return changes;
  }

  private static InterfaceConfiguration at(Configuration configuration, int index) {
    return index < configuration.interfaces().size() ? configuration.interfaces().get(index) : null;
  }

  /** The key of the table that has a key, or the table with it: {@code limits.tenant}. */
  private static String inTable(String key) {
    String[] parts = key.replaceAll("\\[\\d+]", "").split("\\.", 3);
    return parts[0] + "." + parts[1];
  }

  /** What the keys of the running configuration mean once the changes are applied. */
  public Map<String, Object> keys(Configuration running, Configuration next) {
    Map<String, Object> keys = new LinkedHashMap<>(running.keys());
    keys.keySet().removeIf(key -> applied.contains(inTable(key)));
    next.keys()
        .forEach((key, value) -> {
          if (applied.contains(inTable(key))) {
            keys.put(key, value);
          }
        });
    return keys;
  }
}
