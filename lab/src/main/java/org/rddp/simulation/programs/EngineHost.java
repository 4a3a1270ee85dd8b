package org.rddp.simulation.programs;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineParts;
import org.rddp.daemon.engine.FaultHandler;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.HeldMemory;
import org.rddp.ddp.receiving.ReceiveCounters;
import org.rddp.ipc.linux.PrivateMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.SimulatedHost;
import org.rddp.tcp.TcpStack;

/** A host that runs a daemon's engines, one for each of its stacks, and the programs on them. */
final class EngineHost {
  private static final int STAGS = 512;

  /** More than the windows of all connections. */
  private static final long HELD_OCTETS = 256 << 20;

  /** Makes a turn fail. */
  private static final class SimulatedFailure extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final HostPair hosts;
  private final SimulatedHost host;
  private final RdmapSettings settings;
  private final List<SimulatedProgram> programs = new ArrayList<>();
  private final List<ReceiveCounters> counters = new ArrayList<>();
  private final Engine[] engines;
  private int restarts;

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

  private static HeldMemory heldMemory() {
    try {
      return new HeldMemory(PrivateMemory.map(HELD_OCTETS).collected());
    } catch (SystemCallException e) {
      throw new UncheckedIOException(e);
    }
  }

  private DdpEngine ddp(RandomGenerator source) {
    DdpEngine ddp = new DdpEngine(new TaggedBuffers(STAGS, source), heldMemory());
    counters.add(ddp.receiveCounters());
    return ddp;
  }

  private Engine start(TcpStack stack) {
    return new Engine(
        host.address().toString(),
        host.addresses(),
        stack,
        ddp(hosts.network().newRandom()),
        settings,
        new FaultHandler() {
          @Override
          public void onFault(String where, Throwable cause) {
            if (!(cause instanceof SimulatedFailure)) {
              hosts.violations().add("fault in " + where + ": " + cause);
            }
          }

          @Override
          public void onRefused(String detail) {
            if (hosts.isTraced()) {
              hosts.trace(detail);
            }
          }
        });
  }

  /**
   * Makes the turns of an engine fail until it restarts; its programs' sessions end.
   *
   * @param number of the engine, modulo their number
   * @param source of random numbers for its restart
   */
  void fail(int number, SplittableRandom source) {
    if (host.isOff()) {
      return;
    }
    int index = number % engines.length;
    Engine engine = engines[index];
    engine.restartWith(
        new EngineParts() {
          @Override
          public TcpStack tcp(long now) {
            return host.replace(index, source);
          }

          @Override
          public DdpEngine ddp() {
            return EngineHost.this.ddp(source);
          }
        });
    hosts.trace("engine " + index + " of " + host.address() + " fails and begins anew");
    while (engine.counters().restarts == 0) {
      if (!engine.turnFailed(new SimulatedFailure(), hosts.network().now())) {
        hosts.violations().add("an engine has not begun anew");
        return;
      }
    }
    restarts++;
    host.scheduleTurn();
  }

  /** How often an engine has restarted. */
  int restarts() {
    return restarts;
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
