package org.rddp.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.control.InterfaceEngine;
import org.rddp.daemon.engine.Engine;
import org.rddp.ip.AssociationDatabase;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.TcpConnection;

/**
 * The interfaces that go over from one daemon to another, those that both have with the same {@link
 * InterfaceTerms}: of each its security associations, and the stacks of the engines that both have.
 * Before them, in a snapshot, are the hashes of used keys.
 *
 * @param engines of these interfaces, in the order of the daemon that has written them
 * @param connections of TCP, of each of these engines
 */
record HandedStacks(List<InterfaceEngine> engines, List<List<TcpConnection>> connections) {
  /**
   * Writes them.
   *
   * @param kept the names of the interfaces that go over, and how many engines of each
   * @throws SnapshotException if there is something that cannot be handed over
   */
  static HandedStacks write(
      SnapshotWriter snapshot, Interfaces interfaces, Map<String, Integer> kept) {
    return transfer(
        snapshot,
        interfaces,
        List.copyOf(kept.entrySet()),
        each -> each.write(snapshot, 0),
        each -> each.tcp().write(snapshot));
  }

  /**
   * Reads them into interfaces that have just been made.
   *
   * @throws SnapshotException if they do not fit
   */
  static HandedStacks read(SnapshotReader snapshot, Interfaces interfaces) {
    long now = System.nanoTime();
    return transfer(
        snapshot,
        interfaces,
        List.of(),
        each -> each.read(snapshot),
        each -> each.tcp().read(snapshot, now));
  }

  private static HandedStacks transfer(
      Snapshot snapshot,
      Interfaces interfaces,
      List<Map.Entry<String, Integer>> kept,
      Consumer<AssociationDatabase> associations,
      Function<Engine, List<TcpConnection>> stack) {
    snapshot.begin(Daemon.class);
    int count = snapshot.number("interfaces", kept.size(), 0, Integer.MAX_VALUE);
    snapshot.end();
    interfaces.usedKeys().transfer(snapshot);
    HandedStacks handed = new HandedStacks(new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < count; i++) {
      snapshot.begin(InterfaceConfiguration.class);
      String name = snapshot.text("name", snapshot.reads() ? null : kept.get(i).getKey());
      check(snapshot, interfaces, name);
      List<InterfaceEngine> engines = interfaces.engines(name);
      int stacks = snapshot.reads() ? 0 : kept.get(i).getValue();
      stacks = snapshot.number("engines", stacks, 1, engines.size());
      snapshot.end();
      interfaces.group(name).transfer(snapshot);
      associations.accept(interfaces.associations(name));
      for (InterfaceEngine each : engines.subList(0, stacks)) {
        handed.engines.add(each);
        handed.connections.add(stack.apply(each.engine()));
      }
    }
    return handed;
  }

  /** An interface has the same MAC address in both daemons. */
  private static void check(Snapshot snapshot, Interfaces interfaces, String name) {
    if (interfaces.configured(name) == null) {
      throw new SnapshotException("the new daemon has no interface " + name);
    }
    long own = interfaces.device(interfaces.engines(name).getFirst().engine()).macAddress();
    long theirs = snapshot.number("macAddress", own);
    if (theirs != own) {
      throw new SnapshotException(
          "%s has the MAC address %s in the daemon that runs, and %s in the new one"
              .formatted(name, MacAddresses.words(theirs), MacAddresses.words(own)));
    }
  }

  /** Whether an interface goes over. */
  boolean includes(String name) {
    return engines.stream().anyMatch(each -> each.name().equals(name));
  }
}
