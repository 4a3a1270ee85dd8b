package org.rddp.daemon.configuration;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.rddp.client.types.SessionSizes;

/**
 * The keys whose values differ between the running configuration and the one read again.
 *
 * @param applied those that a running daemon applies
 * @param restart those that need a restart
 */
public record Changes(List<String> applied, List<String> restart) {
  /** Keys that need a restart, in tables that are otherwise applied. */
  private static final Set<String> FIXED =
      Set.of(
          "control.socket",
          "limits.send-queue",
          "limits.receive-queue",
          "limits.tenant",
          "log.format",
          "log.lines-per-second");

  /** Keys whose names differ from {@link Limits#session()} and its component. */
  private static final Map<String, String> KEYS =
      Map.of(
          "limits.session-send-queue", "limits.send-queue",
          "limits.session-receive-queue", "limits.receive-queue",
          "limits.session-requests", "limits.requests",
          "limits.session-completions", "limits.completions",
          "limits.tenants", "limits.tenant");

  /** Finds the changes. */
  public static Changes between(Configuration running, Configuration next) {
    Changes changes = new Changes(new ArrayList<>(), new ArrayList<>());
    changes.compare("control.", running.control(), next.control(), true);
    changes.compare("limits.", running.limits(), next.limits(), true);
    changes.compare("log.", running.log(), next.log(), true);
    changes.compare("dpdk.", running.dpdk(), next.dpdk(), false);
    changes.compare("engine.", running.engine(), next.engine(), false);
    if (!running.metrics().equals(next.metrics())) {
      changes.restart.add("metrics.listen");
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

  /**
   * Compares two records, whose components have the names of the table's keys behind the prefix.
   */
  private void compare(String prefix, Record before, Record after, boolean live) {
    for (RecordComponent component : before.getClass().getRecordComponents()) {
      if (!Objects.equals(value(component, before), value(component, after))) {
        String key =
            prefix + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        if (value(component, before) instanceof SessionSizes sizes) {
          compare(key + "-", sizes, (SessionSizes) value(component, after), live);
          continue;
        }
        key = KEYS.getOrDefault(key, key);
        (live && !FIXED.contains(key) ? applied : restart).add(key);
      }
    }
  }

  private static Object value(RecordComponent component, Record owner) {
    try {
      return component.getAccessor().invoke(owner);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
