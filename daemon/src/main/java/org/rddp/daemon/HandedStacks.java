package org.rddp.daemon;

import java.util.ArrayList;
import java.util.List;
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
 * The interfaces that go over from one daemon to another, those that both have: for each what it
 * is, its security associations, and its stacks. Before them, in a snapshot, are the hashes of used
 * keys.
 *
 * @param engines of these interfaces, in the order of the daemon that has written them
 * @param connections of TCP, of each of these engines
 */
record HandedStacks(List<InterfaceEngine> engines, List<List<TcpConnection>> connections) {
  /**
   * Writes them.
   *
   * @param kept the names of the interfaces that the other daemon has, too
   * @throws SnapshotException if there is something that cannot be handed over
   */
  static HandedStacks write(SnapshotWriter snapshot, Interfaces interfaces, List<String> kept) {
    return transfer(
        snapshot,
        interfaces,
        kept,
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
      List<String> kept,
      Consumer<AssociationDatabase> associations,
      Function<Engine, List<TcpConnection>> stack) {
    snapshot.begin(Daemon.class);
    int count = snapshot.number("interfaces", kept.size(), 0, Integer.MAX_VALUE);
    snapshot.end();
    interfaces.usedKeys().transfer(snapshot);
    HandedStacks handed = new HandedStacks(new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < count; i++) {
      String name = compare(snapshot, interfaces, snapshot.reads() ? null : kept.get(i));
      associations.accept(interfaces.associations(name));
      for (InterfaceEngine each : interfaces.engines(name)) {
        handed.engines.add(each);
        handed.connections.add(stack.apply(each.engine()));
      }
    }
    return handed;
  }

  /** Whether an interface goes over. */
  boolean includes(String name) {
    return engines.stream().anyMatch(each -> each.name().equals(name));
  }

  /** Transfers what must be the same in both daemons; returns the interface's name. */
  private static String compare(Snapshot snapshot, Interfaces interfaces, String written) {
    snapshot.begin(InterfaceConfiguration.class);
    String name = snapshot.text("name", written);
    InterfaceConfiguration own = interfaces.configured(name);
    if (own == null) {
      throw new SnapshotException(
          "the new daemon has said that it has the interface " + name + ", and it has none");
    }
    long macAddress = interfaces.device(interfaces.engines(name).getFirst().engine()).macAddress();
    String has = name + " has the ";
    same(snapshot, "addresses", has + "address", own.addressText());
    long theirs = snapshot.number("macAddress", macAddress);
    check(has + "MAC address", MacAddresses.words(theirs), MacAddresses.words(macAddress));
    same(snapshot, "vlan", has + "vlan", own.vlan());
    same(snapshot, "introductionPort", has + "queue-pair-port", own.introductionPort());
    same(snapshot, "socketsPort", has + "sockets-port", own.socketsPortInUse());
    same(snapshot, "engines", has + "number of engines", own.engines());
    snapshot.end();
    return name;
  }

  private static void same(Snapshot snapshot, String field, String what, String ours) {
    check(what, snapshot.text(field, ours), ours);
  }

  private static void same(Snapshot snapshot, String field, String what, long ours) {
    check(what, Long.toString(snapshot.number(field, ours)), Long.toString(ours));
  }

  private static void check(String what, String theirs, String ours) {
    if (!ours.equals(theirs)) {
      throw new SnapshotException(
          "%s %s in the daemon that runs, and %s in the new one: they must be the same"
              .formatted(what, theirs, ours));
    }
  }
}
