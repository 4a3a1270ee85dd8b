package org.rddp.daemon.control;

import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.InterfaceEntry;
import org.rddp.snapshot.Snapshot;

/** The interfaces of the daemon, and the engines that share them. Immutable. */
final class InterfaceEngines {
  private final List<InterfaceEngine> engines;

  InterfaceEngines(List<InterfaceEngine> engines) {
    this.engines = List.copyOf(engines);
  }

  /**
   * Finds the engine for an interface's name; an empty name means the first interface. Of several
   * engines, returns the one that has the name itself, or the one that is not stuck, can have
   * numbers of queue pairs, and has the fewest sessions.
   */
  InterfaceEngine find(
      String name, Predicate<InterfaceEngine> stuck, ToLongFunction<InterfaceEngine> sessions)
      throws RequestRefusedException {
    String wanted = name.isEmpty() ? engines.getFirst().name() : name;
    List<InterfaceEngine> named =
        engines.stream()
            .filter(each -> each.name().equals(wanted) || each.engine().name().equals(wanted))
            .toList();
    if (named.isEmpty()) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE,
          "no interface "
              + name
              + "; the daemon's interfaces: "
              + engines.stream()
                  .map(InterfaceEngine::name)
                  .distinct()
                  .collect(Collectors.joining(", ")));
    }
    return named.stream()
        .filter(stuck.negate())
        .min(Comparator.comparing(InterfaceEngines::lacksNumbers).thenComparingLong(sessions))
        .orElseThrow(() ->
            new RequestRefusedException(
                Reason.RESOURCES,
                (named.size() == 1 ? "the engine of " : "each engine of ")
                    + wanted
                    + " is stuck; the daemon's log says where"));
  }

  private static boolean lacksNumbers(InterfaceEngine each) {
    return !each.queuePairs().has(each.number());
  }

  /** An engine of an interface, which another daemon had, too. */
  InterfaceEngine require(Snapshot snapshot, String name, int number) {
    return engines.stream()
        .filter(each -> each.name().equals(name) && each.number() == number)
        .findFirst()
        .orElseThrow(() -> snapshot.wrong("%s has no engine %d".formatted(name, number)));
  }

  /** The engines of all interfaces. */
  List<InterfaceEngine> all() {
    return engines;
  }

  /** The engines of an interface. */
  List<InterfaceEngine> engines(String name) {
    return engines.stream().filter(each -> each.name().equals(name)).toList();
  }

  /** Answers a request for interfaces, from an index on. */
  DaemonMessage list(int request, int index) {
    List<InterfaceEntry> all = engines.stream().map(InterfaceEngine::entry).distinct().toList();
    int from = Math.clamp(index, 0, all.size());
    int end = Math.min(from + InterfaceEntry.MOST, all.size());
    return new DaemonMessage.InterfacesListed(
        request, end < all.size() ? end : 0, all.subList(from, end));
  }
}
