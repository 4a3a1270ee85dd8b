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
import org.rddp.tcp.TcpStack;

/** A host that runs a daemon's engines, one for each of its stacks, and the programs on them. */
final class EngineHost {
  private static final int STAGS = 512;

  private final HostPair hosts;
  private final SimulatedHost host;
  private final RdmapSettings settings;
  private final List<SimulatedProgram> programs = new ArrayList<>();
  private final List<ReceiveCounters> counters = new ArrayList<>();
  private final Engine[] engines;

  /** A host that has just started. */
  EngineHost(HostPair hosts, SimulatedHost host, RdmapSettings settings) {
    this.hosts = hosts;
    this.host = host;
    this.settings = settings;
    engines = new Engine[host.stacks().size()];
    boot();
    for (int i = 0; i < engines.length; i++) {
      int index = i;
      host.duty(i, now -> engines[index].turn(now));
    }
  }

  /** Starts engines that know nothing of those before. */
  void boot() {
    for (int i = 0; i < engines.length; i++) {
      engines[i] = start(host.stacks().get(i));
    }
  }

  private Engine start(TcpStack stack) {
    DdpEngine ddp = new DdpEngine(new TaggedBuffers(STAGS, hosts.network().newRandom()));
    counters.add(ddp.receiveCounters());
    return new Engine(
        host.address().toString(),
        host.address().bits(),
        stack,
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

  /** One of its engines. */
  Engine engine() {
    return engines[engines.length == 1 ? 0 : hosts.random().nextInt(engines.length)];
  }

  RdmapSettings settings() {
    return settings;
  }

  /** Counters of every engine that has run here. */
  List<ReceiveCounters> counters() {
    return counters;
  }

  /** Runs a command in one of its engines. */
  void execute(Engine engine, Runnable command) {
    engine.execute(command);
    host.scheduleTurn();
  }

  /** Checks what must hold when every session has ended. */
  void judge() {
    if (host.isOff()) {
      return;
    }
    for (Engine engine : engines) {
      if (engine.ddp().taggedBuffers().size() > 0) {
        hosts.violations().add("STags are left behind");
      }
      if (engine.connectionCount() > 0) {
        hosts.violations().add("connections of sessions are left behind");
      }
    }
  }
}
