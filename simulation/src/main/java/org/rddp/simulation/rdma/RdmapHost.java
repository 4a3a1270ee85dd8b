package org.rddp.simulation.rdma;

import java.util.ArrayList;
import java.util.List;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.Violations;

/** A host with the engine that its streams share. */
final class RdmapHost {
  private static final int STAGS = 256;

  private final HostPair world;
  private final SimulatedHost host;
  private final int segments;
  private final List<StreamEndpoint> ends = new ArrayList<>();
  private final List<DdpEngine> before = new ArrayList<>();
  private DdpEngine ddp;
  private ProtectionDomain domain;

  /**
   * A machine that has just been switched on.
   *
   * @param segments the most that its streams send in a turn
   */
  RdmapHost(HostPair world, SimulatedHost host, int segments) {
    this.world = world;
    this.host = host;
    this.segments = segments;
    boot();
    host.inTurn(this::turn);
  }

  /** Knows nothing of what was before. */
  void boot() {
    if (ddp != null) {
      before.add(ddp);
    }
    ddp = new DdpEngine(new TaggedBuffers(STAGS, world.network().newRandom()));
    domain = new ProtectionDomain("programs");
  }

  private int turn() {
    for (int i = 0; i < ends.size(); i++) {
      ends.get(i).act();
    }
    int sent = ddp.send(segments);
    if (sent == segments) {
      host.scheduleTurn();
    }
    return sent;
  }

  /** An end of a connection lives here. */
  void add(StreamEndpoint end) {
    ends.add(end);
  }

  List<StreamEndpoint> ends() {
    return ends;
  }

  SimulatedHost host() {
    return host;
  }

  DdpEngine ddp() {
    return ddp;
  }

  /** Every engine that has been here, from one failure of power to the next. */
  List<DdpEngine> engines() {
    List<DdpEngine> all = new ArrayList<>(before);
    all.add(ddp);
    return all;
  }

  ProtectionDomain domain() {
    return domain;
  }

  Violations verdict() {
    return world.violations();
  }
}
