package org.rddp.simulation.programs;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineParts;
import org.rddp.daemon.engine.InterfaceTenants;
import org.rddp.daemon.engine.OwnedStreams;
import org.rddp.daemon.engine.Session;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.ReceiveCounters;
import org.rddp.ipc.linux.PrivateMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.SimulatedEngine;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.SimulatedTenants;
import org.rddp.simulation.memory.EngineMemory;
import org.rddp.simulation.memory.Slab;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpStack;

/** A host that runs a daemon's engines, one for each of its stacks, and the programs on them. */
final class EngineHost {
  private static final int STAGS = 512;

  /** More than the windows of all connections. */
  private static final long HELD_OCTETS = 256 << 20;

  private final HostPair hosts;
  private final SimulatedHost host;
  private final RdmapSettings settings;
  private final List<SimulatedProgram> programs = new ArrayList<>();
  private final List<ReceiveCounters> counters = new ArrayList<>();
  private final SimulatedEngine[] engines;

  /** The memory of programs as each engine has it. */
  private final EngineMemory[] memories;

  /** Where the STags of each engine come from. */
  private final RandomGenerator[] sources;

  private final SimulatedTenants tenants;
  private InterfaceTenants shares;
  private int restarts;

  /**
   * A host that has just started.
   *
   * @param slab where the memories of programs lie
   */
  EngineHost(HostPair hosts, SimulatedHost host, RdmapSettings settings, Slab slab) {
    this.hosts = hosts;
    this.host = host;
    this.settings = settings;
    tenants = new SimulatedTenants(hosts.seed());
    int count = host.stacks().size();
    engines = new SimulatedEngine[count];
    sources = new RandomGenerator[count];
    memories = new EngineMemory[count];
    for (int i = 0; i < count; i++) {
      memories[i] = slab.map();
      engines[i] = new SimulatedEngine(hosts, host, i, settings, EngineHost::heldMemory);
    }
    boot();
  }

  /** Starts engines that know nothing of those before. */
  void boot() {
    shares = tenants.make();
    for (int i = 0; i < engines.length; i++) {
      sources[i] = hosts.network().newRandom();
      engines[i].start(ddp(i), shares);
      engines[i].forgetCommands();
    }
  }

  private static MemorySegment heldMemory() {
    try {
      return PrivateMemory.map(HELD_OCTETS).collected();
    } catch (SystemCallException e) {
      throw new UncheckedIOException(e);
    }
  }

  private DdpEngine ddp(int engine) {
    DdpEngine ddp = engines[engine].ddp(new TaggedBuffers(STAGS, sources[engine]));
    counters.add(ddp.receiveCounters());
    return ddp;
  }

  /** Whether it can go on in new engines: the present ones have taken every session. */
  boolean mayGoOn() {
    return programs.stream().allMatch(SimulatedProgram::begun);
  }

  /** Writes the state of an engine above its stack. */
  void write(int engine, SnapshotWriter snapshot, List<TcpConnection> former) {
    engines[engine].write(snapshot, former, memories[engine].ranges(), OwnedStreams.NONE);
  }

  /** Goes on with a new engine, and new sessions of its programs. */
  void read(int engine, SnapshotReader snapshot, List<TcpConnection> next) {
    SimulatedEngine goingOn = engines[engine];
    goingOn.retire();
    counters.remove(goingOn.engine().ddp().receiveCounters());
    memories[engine].move();
    shares = engine == 0 ? tenants.make() : shares;
    goingOn.start(ddp(engine), shares);
    Set<Integer> made = new HashSet<>();
    goingOn.read(
        snapshot,
        next,
        memories[engine].ranges(),
        OwnedStreams.NONE,
        number -> made.add(number) ? session(engine, number) : null);
  }

  /** Makes a new session of a program that had one with that number; null if none had. */
  private Session session(int engine, int number) {
    for (SimulatedProgram program : programs) {
      if (program.number() == number && program.engine() == engine && !program.over()) {
        return program.goOn();
      }
    }
    return null;
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
    Engine engine = engines[index].engine();
    engine.restartWith(
        new EngineParts() {
          @Override
          public TcpStack tcp(long now) {
            return host.replace(index, source);
          }

          @Override
          public DdpEngine ddp() {
            sources[index] = source;
            return EngineHost.this.ddp(index);
          }
        });
    hosts.trace("engine " + index + " of " + host.address() + " fails and begins anew");
    while (engine.counters().restarts == 0) {
      if (!engine.turnFailed(new SimulatedEngine.Failure(), hosts.network().now())) {
        hosts.violations().add("an engine has not begun anew");
        return;
      }
    }
    restarts++;
    host.scheduleTurn();
  }

  /** Whether tenants share what its engines send. */
  boolean hasTenants() {
    return shares != null;
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

  /** Number of one of its engines. */
  int drawEngine() {
    return engines.length == 1 ? 0 : hosts.random().nextInt(engines.length);
  }

  /** One of its engines. */
  Engine engine(int number) {
    return engines[number].engine();
  }

  /** The memory of programs as an engine has it. */
  EngineMemory memory(int engine) {
    return memories[engine];
  }

  RdmapSettings settings() {
    return settings;
  }

  /** Counters of every engine that has run here. */
  List<ReceiveCounters> counters() {
    return counters;
  }

  /** Runs a command in one of its engines, or in the one that goes on with its work. */
  void execute(int engine, Runnable command) {
    engines[engine].execute(command);
  }

  /** Checks what must hold when every session has ended. */
  void judge() {
    if (host.isOff()) {
      return;
    }
    for (SimulatedEngine each : engines) {
      Engine engine = each.engine();
      if (engine.ddp().taggedBuffers().size() > 0) {
        hosts.violations().add("STags are left behind");
      }
      if (engine.connectionCount() > 0) {
        hosts.violations().add("connections of sessions are left behind");
      }
    }
  }
}
