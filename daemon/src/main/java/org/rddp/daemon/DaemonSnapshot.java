package org.rddp.daemon;

import java.util.ArrayList;
import java.util.List;
import org.rddp.daemon.control.HandedDescriptors;
import org.rddp.daemon.control.InterfaceEngine;
import org.rddp.daemon.control.ProgramHandOver;
import org.rddp.daemon.control.Statistics;
import org.rddp.daemon.engine.EngineHandOver;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;

/**
 * What is in a snapshot of a daemon behind the stacks: the sessions of programs and their octet
 * streams, what each engine does for them, and counters.
 *
 * @param stacks which have been written, or read, before
 */
record DaemonSnapshot(HandedStacks stacks, ProgramHandOver programs, Statistics statistics) {
  /**
   * Writes the state of a daemon whose engines make no turn, and whose programs pause.
   *
   * @return what has been written of each engine
   * @throws SnapshotException if it has something that cannot be handed over
   */
  List<EngineHandOver> write(SnapshotWriter snapshot, HandedDescriptors descriptors) {
    programs.transfer(snapshot, descriptors, stacks.engines());
    List<EngineHandOver> handOvers = handOvers();
    handOvers.forEach(each -> each.write(snapshot));
    statistics.transfer(snapshot);
    return handOvers;
  }

  /**
   * Reads the state.
   *
   * @throws SnapshotException if it does not fit
   */
  void read(SnapshotReader snapshot, HandedDescriptors descriptors) {
    programs.transfer(snapshot, descriptors, stacks.engines());
    handOvers().forEach(each -> each.read(snapshot, programs::session));
    statistics.transfer(snapshot);
  }

  private List<EngineHandOver> handOvers() {
    List<EngineHandOver> handOvers = new ArrayList<>();
    for (InterfaceEngine each : stacks.engines()) {
      handOvers.add(
          new EngineHandOver(
              each.engine(),
              stacks.connections().get(handOvers.size()),
              programs.memories(each.engine()),
              programs.streams(each.engine())));
    }
    return handOvers;
  }
}
