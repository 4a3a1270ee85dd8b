package org.rddp.daemon.control;

import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.InterfaceEntry;

/** The interfaces of the daemon, and the engines that share them. Immutable. */
final class DaemonInterfaces {
  private final List<DaemonInterface> engines;

  DaemonInterfaces(List<DaemonInterface> engines) {
    this.engines = List.copyOf(engines);
  }

  /**
   * The interface with a name; the first one if the name is empty. Of several engines the one with
   * the fewest sessions, or the one whose own name it is.
   */
  DaemonInterface find(String name, ToLongFunction<DaemonInterface> sessions)
      throws RequestRefusedException {
    String wanted = name.isEmpty() ? engines.getFirst().name() : name;
    DaemonInterface found = null;
    for (DaemonInterface each : engines) {
      if (each.engine().name().equals(wanted)) {
        return each;
      }
      boolean better = found == null || sessions.applyAsLong(each) < sessions.applyAsLong(found);
      if (each.name().equals(wanted) && better) {
        found = each;
      }
    }
    if (found == null) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE,
          "no interface "
              + name
              + "; the daemon has "
              + engines.stream()
                  .map(DaemonInterface::name)
                  .distinct()
                  .collect(Collectors.joining(", ")));
    }
    return found;
  }

  /** The engines of an interface. */
  List<DaemonInterface> engines(String name) {
    return engines.stream().filter(each -> each.name().equals(name)).toList();
  }

  /** The answer to a request for interfaces, from an index on. */
  DaemonMessage list(int request, int index) {
    List<InterfaceEntry> all = engines.stream().map(DaemonInterface::entry).distinct().toList();
    int from = Math.clamp(index, 0, all.size());
    int end = Math.min(from + InterfaceEntry.MOST, all.size());
    return new DaemonMessage.InterfacesListed(
        request, end < all.size() ? end : 0, all.subList(from, end));
  }
}
