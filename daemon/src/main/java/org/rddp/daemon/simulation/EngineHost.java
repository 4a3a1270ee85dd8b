package org.rddp.daemon.simulation;

import java.util.ArrayList;
import java.util.List;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.Faults;
import org.rddp.ddp.DdpCounters;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.TaggedBuffers;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.Host;
import org.rddp.simulation.World;

/** A host whose duty cycle is that of a daemon's engine, and the programs on it. */
final class EngineHost {
  private static final int STAGS = 512;

  private final World world;
  private final Host host;
  private final RdmapSettings settings;
  private final List<Program> programs = new ArrayList<>();
  private final List<DdpCounters> counters = new ArrayList<>();
  private Engine engine;

  /** A host that has just been switched on. */
  EngineHost(World world, Host host, RdmapSettings settings) {
    this.world = world;
    this.host = host;
    this.settings = settings;
    boot();
    host.duty(now -> engine.turn(now));
  }

  /** Knows nothing of what was before. */
  void boot() {
    DdpEngine ddp = new DdpEngine(new TaggedBuffers(STAGS, world.network().chance()));
    counters.add(ddp.counters());
    engine =
        new Engine(
            host.address().toString(),
            host.address().bits(),
            host.stack(),
            ddp,
            settings,
            new Faults() {
              @Override
              public void onFault(String where, Throwable cause) {
                world.verdict().violated("fault in " + where + ": " + cause);
              }

              @Override
              public void onRefused(String detail) {
                if (world.traced()) {
                  world.say(detail);
                }
              }
            });
  }

  void add(Program program) {
    programs.add(program);
  }

  List<Program> programs() {
    return programs;
  }

  World world() {
    return world;
  }

  Host host() {
    return host;
  }

  Engine engine() {
    return engine;
  }

  RdmapSettings settings() {
    return settings;
  }

  /** Counters of every engine that has been here, from one failure of power to the next. */
  List<DdpCounters> counters() {
    return counters;
  }

  /** Has something done on the engine's thread. */
  void execute(Runnable command) {
    engine.execute(command);
    host.poke();
  }

  /** Every program has ended its session: what must hold now? */
  void judge() {
    if (host.off()) {
      return;
    }
    if (engine.ddp().taggedBuffers().size() > 0) {
      world.verdict().violated("STags are left behind");
    }
    if (engine.connectionCount() > 0) {
      world.verdict().violated("connections of sessions are left behind");
    }
  }
}
