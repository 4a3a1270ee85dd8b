package org.rddp.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.control.HandedDescriptors;
import org.rddp.daemon.control.ProgramHandOver;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineHandOver;
import org.rddp.ip.AssociationDatabase;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.TcpConnection;

/**
 * The order in which the state of a daemon is in a snapshot: the hashes of used keys, then for each
 * interface what it is, its security associations, and its stacks; then the sessions of programs
 * and their octet streams, what each engine does for them, and counters. The reader makes
 * everything in this order, too.
 */
record DaemonSnapshot(Interfaces interfaces, ProgramHandOver programs) {
  /**
   * Writes the state of a daemon whose engines make no turn, and whose programs pause.
   *
   * @return what has been written of each engine
   * @throws SnapshotException if it has something that cannot be handed over
   */
  List<EngineHandOver> write(SnapshotWriter snapshot, HandedDescriptors descriptors) {
    List<List<TcpConnection>> connections =
        transferStacks(
            interfaces,
            snapshot,
            each -> each.write(snapshot, 0),
            each -> each.tcp().write(snapshot));
    programs.transfer(snapshot, descriptors);
    List<EngineHandOver> handOvers = handOvers(connections);
    handOvers.forEach(each -> each.write(snapshot));
    interfaces.statistics().transfer(snapshot);
    return handOvers;
  }

  /**
   * Reads the security associations and stacks into interfaces that have just been made.
   *
   * @return the connections of TCP, of each engine
   * @throws SnapshotException if they do not fit
   */
  static List<List<TcpConnection>> readStacks(Interfaces interfaces, SnapshotReader snapshot) {
    long now = System.nanoTime();
    return transferStacks(
        interfaces, snapshot, each -> each.read(snapshot), each -> each.tcp().read(snapshot, now));
  }

  /**
   * Reads the rest.
   *
   * @param connections of {@link #readStacks}
   * @throws SnapshotException if it does not fit
   */
  void read(
      SnapshotReader snapshot,
      HandedDescriptors descriptors,
      List<List<TcpConnection>> connections) {
    programs.transfer(snapshot, descriptors);
    handOvers(connections).forEach(each -> each.read(snapshot, programs::session));
    interfaces.statistics().transfer(snapshot);
  }

  /** Transfers what is below the sessions; returns the connections of TCP of each engine. */
  private static List<List<TcpConnection>> transferStacks(
      Interfaces interfaces,
      Snapshot snapshot,
      Consumer<AssociationDatabase> associations,
      Function<Engine, List<TcpConnection>> stack) {
    snapshot.begin(Daemon.class);
    same(snapshot, "interfaces", "there are as many interfaces as", interfaces.configured().size());
    snapshot.end();
    interfaces.usedKeys().transfer(snapshot);
    List<List<TcpConnection>> connections = new ArrayList<>();
    for (int i = 0; i < interfaces.configured().size(); i++) {
      InterfaceConfiguration configured = interfaces.configured().get(i);
      Engine first = interfaces.engines().get(connections.size());
      compare(snapshot, configured, interfaces.device(first).macAddress());
      associations.accept(interfaces.associations().get(i));
      for (int j = 0; j < configured.engines(); j++) {
        connections.add(stack.apply(interfaces.engines().get(connections.size())));
      }
    }
    return connections;
  }

  private List<EngineHandOver> handOvers(List<List<TcpConnection>> connections) {
    List<EngineHandOver> handOvers = new ArrayList<>();
    for (Engine engine : interfaces.engines()) {
      handOvers.add(
          new EngineHandOver(
              engine,
              connections.get(handOvers.size()),
              programs.memories(engine),
              programs.streams(engine)));
    }
    return handOvers;
  }

  /** Transfers what must be the same in both daemons. */
  private static void compare(
      Snapshot snapshot, InterfaceConfiguration configured, long macAddress) {
    String has = configured.name() + " has the ";
    snapshot.begin(InterfaceConfiguration.class);
    same(snapshot, "name", "an interface has the name", configured.name());
    same(snapshot, "addresses", has + "address", configured.addressText());
    same(snapshot, "macAddress", has + "MAC address", macAddress);
    same(snapshot, "vlan", has + "vlan", configured.vlan());
    same(snapshot, "introductionPort", has + "queue-pair-port", configured.introductionPort());
    same(snapshot, "socketsPort", has + "sockets-port", configured.socketsPortInUse());
    same(snapshot, "engines", has + "number of engines", configured.engines());
    snapshot.end();
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
          "%s %s in the daemon that runs, and %s in the configuration of the new one"
              .formatted(what, theirs, ours));
    }
  }
}
