package org.rddp.simulation.programs;

import java.util.ArrayList;
import java.util.List;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.FaultHandler;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.ReceiveCounters;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.SimulatedHost;

/** A host whose duty cycle is that of a daemon's engine, and the programs on it. */
final class EngineHost {
  private static final int STAGS = 512;

  private final HostPair world;
  private final SimulatedHost host;
  private final RdmapSettings settings;
  private final List<SimulatedProgram> programs = new ArrayList<>();
  private final List<ReceiveCounters> counters = new ArrayList<>();
  private Engine engine;

  /** A host that has just been switched on. */
  EngineHost(HostPair world, SimulatedHost host, RdmapSettings settings) {
    this.world = world;
    this.host = host;
    this.settings = settings;
    boot();
    host.duty(now -> engine.turn(now));
  }

  /** Knows nothing of what was before. */
  void boot() {
    DdpEngine ddp = new DdpEngine(new TaggedBuffers(STAGS, world.network().newRandom()));
    counters.add(ddp.receiveCounters());
    engine =
        new Engine(
            host.address().toString(),
            host.address().bits(),
            host.stack(),
            ddp,
            settings,
            new FaultHandler() {
              @Override
              public void onFault(String where, Throwable cause) {
                world.violations().add("fault in " + where + ": " + cause);
              }

              @Override
              public void onRefused(String detail) {
                if (world.isTraced()) {
                  world.trace(detail);
                }
              }
            });
  }

  void add(SimulatedProgram program) {
    programs.add(program);
  }

  List<SimulatedProgram> programs() {
    return programs;
  }

  HostPair world() {
    return world;
  }

  SimulatedHost host() {
    return host;
  }

  Engine engine() {
    return engine;
  }

  RdmapSettings settings() {
    return settings;
  }

  /** Counters of every engine that has been here, from one failure of power to the next. */
  List<ReceiveCounters> counters() {
    return counters;
  }

  /** Has something done on the engine's thread. */
  void execute(Runnable command) {
    engine.execute(command);
    host.scheduleTurn();
  }

  /** Every program has ended its session: what must hold now? */
  void judge() {
    if (host.isOff()) {
      return;
    }
    if (engine.ddp().taggedBuffers().size() > 0) {
      world.violations().add("STags are left behind");
    }
    if (engine.connectionCount() > 0) {
      world.violations().add("connections of sessions are left behind");
    }
  }
}
