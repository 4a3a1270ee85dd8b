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

/** A host that runs a daemon's engine, and the programs on it. */
final class EngineHost {
  private static final int STAGS = 512;

  private final HostPair hosts;
  private final SimulatedHost host;
  private final RdmapSettings settings;
  private final List<SimulatedProgram> programs = new ArrayList<>();
  private final List<ReceiveCounters> counters = new ArrayList<>();
  private Engine engine;

  /** A host that has just started. */
  EngineHost(HostPair hosts, SimulatedHost host, RdmapSettings settings) {
    this.hosts = hosts;
    this.host = host;
    this.settings = settings;
    boot();
    host.duty(now -> engine.turn(now));
  }

  /** Starts an engine that knows nothing of the one before. */
  void boot() {
    DdpEngine ddp = new DdpEngine(new TaggedBuffers(STAGS, hosts.network().newRandom()));
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
                hosts.violations().add("fault in " + where + ": " + cause);
              }

              @Override
              public void onRefused(String detail) {
                if (hosts.isTraced()) {
                  hosts.trace(detail);
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

  HostPair hosts() {
    return hosts;
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

  /** Counters of every engine that has run here. */
  List<ReceiveCounters> counters() {
    return counters;
  }

  /** Runs a command in the engine. */
  void execute(Runnable command) {
    engine.execute(command);
    host.scheduleTurn();
  }

  /** Checks what must hold when every session has ended. */
  void judge() {
    if (host.isOff()) {
      return;
    }
    if (engine.ddp().taggedBuffers().size() > 0) {
      hosts.violations().add("STags are left behind");
    }
    if (engine.connectionCount() > 0) {
      hosts.violations().add("connections of sessions are left behind");
    }
  }
}
