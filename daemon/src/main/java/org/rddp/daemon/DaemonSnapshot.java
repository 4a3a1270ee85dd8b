package org.rddp.daemon;

import java.util.ArrayList;
import java.util.List;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.control.HandedDescriptors;
import org.rddp.daemon.control.ProgramHandOver;
import org.rddp.daemon.control.Statistics;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineHandOver;
import org.rddp.device.FrameDevice;
import org.rddp.ip.AssociationDatabase;
import org.rddp.ip.UsedKeys;
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
 *
 * @param associations of each interface
 * @param devices of the engines
 */
record DaemonSnapshot(
    UsedKeys usedKeys,
    List<InterfaceConfiguration> interfaces,
    List<AssociationDatabase> associations,
    List<? extends FrameDevice> devices,
    List<Engine> engines,
    ProgramHandOver programs,
    Statistics statistics) {
  /**
   * Writes the state of a daemon whose engines make no turn, and whose programs pause.
   *
   * @return what has been written of each engine
   * @throws SnapshotException if it has something that cannot be handed over
   */
  List<EngineHandOver> write(SnapshotWriter snapshot, HandedDescriptors descriptors) {
    transfer(snapshot, usedKeys, interfaces.size());
    List<List<TcpConnection>> connections = new ArrayList<>();
    for (int i = 0; i < interfaces.size(); i++) {
      transfer(snapshot, interfaces.get(i), devices.get(connections.size()).macAddress());
      associations.get(i).write(snapshot, 0);
      for (int j = 0; j < interfaces.get(i).engines(); j++) {
        connections.add(engines.get(connections.size()).tcp().write(snapshot));
      }
    }
    programs.transfer(snapshot, descriptors);
    List<EngineHandOver> handOvers = new ArrayList<>();
    for (Engine engine : engines) {
      EngineHandOver each = handOver(engine, connections.get(handOvers.size()));
      each.write(snapshot);
      handOvers.add(each);
    }
    statistics.transfer(snapshot);
    return handOvers;
  }

  /**
   * Reads what is behind the stacks: the sessions of programs, and what engines do for them.
   *
   * @param connections of TCP, of each engine, as read
   */
  void read(
      SnapshotReader snapshot,
      HandedDescriptors descriptors,
      List<List<TcpConnection>> connections) {
    programs.transfer(snapshot, descriptors);
    for (int i = 0; i < engines.size(); i++) {
      handOver(engines.get(i), connections.get(i)).read(snapshot, programs::session);
    }
    statistics.transfer(snapshot);
  }

  private EngineHandOver handOver(Engine engine, List<TcpConnection> connections) {
    return new EngineHandOver(
        engine, connections, programs.memories(engine), programs.streams(engine));
  }

  /** Transfers what is common to all interfaces. */
  static void transfer(Snapshot snapshot, UsedKeys usedKeys, int interfaces) {
    snapshot.begin(Daemon.class);
    same(snapshot, "interfaces", "there are as many interfaces as", interfaces);
    snapshot.end();
    usedKeys.transfer(snapshot);
  }

  /** Begins the part of an interface. */
  static void transfer(Snapshot snapshot, InterfaceConfiguration configured, long macAddress) {
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
