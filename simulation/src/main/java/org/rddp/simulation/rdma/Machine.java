package org.rddp.simulation.rdma;

import java.util.ArrayList;
import java.util.List;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.ProtectionDomain;
import org.rddp.ddp.TaggedBuffers;
import org.rddp.simulation.Host;
import org.rddp.simulation.Verdict;
import org.rddp.simulation.World;

/** A host with the engine that its streams share. */
final class Machine {
  private static final int STAGS = 256;

  private final World world;
  private final Host host;
  private final int segments;
  private final List<Endpoint> ends = new ArrayList<>();
  private final List<DdpEngine> before = new ArrayList<>();
  private DdpEngine ddp;
  private ProtectionDomain domain;

  /**
   * A machine that has just been switched on.
   *
   * @param segments the most that its streams send in a turn
   */
  Machine(World world, Host host, int segments) {
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
    ddp = new DdpEngine(new TaggedBuffers(STAGS, world.network().chance()));
    domain = new ProtectionDomain("programs");
  }

  private int turn() {
    for (int i = 0; i < ends.size(); i++) {
      ends.get(i).act();
    }
    int sent = ddp.send(segments);
    if (sent == segments) {
      host.poke();
    }
    return sent;
  }

  /** An end of a connection lives here. */
  void add(Endpoint end) {
    ends.add(end);
  }

  List<Endpoint> ends() {
    return ends;
  }

  Host host() {
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

  Verdict verdict() {
    return world.verdict();
  }
}
