package org.rddp.simulation.sockets;

import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.InterfaceTenants;
import org.rddp.daemon.engine.OwnedStreams;
import org.rddp.daemon.engine.SessionOwner;
import org.rddp.daemon.engine.StreamListener;
import org.rddp.daemon.engine.StreamParts;
import org.rddp.daemon.engine.StreamPorts;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ipc.linux.EventSet;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.Doorbells;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.SimulatedEngine;
import org.rddp.simulation.SimulatedHost;
import org.rddp.simulation.SimulatedTenants;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.TcpConnection;

/** A host that runs a daemon's engines, one for each of its stacks, and a program with streams. */
final class StreamHost {
  /** The port at which programs listen. */
  static final int PORT = 80;

  private static final int SOCKETS_PORT = 4793;
  private static final int STAGS = 4;

  /** Octets for held messages of an engine: the first ones of all streams. */
  private static final int HELD = 1 << 20;

  /**
   * Listeners of a program, which share its port.
   *
   * @param number in the daemon
   * @param backlog the most streams that wait
   */
  record ListenerPlan(int number, int backlog) {}

  private final HostPair hosts;
  private final SimulatedHost host;
  private final List<ListenerPlan> plans;
  private final SimulatedEngine[] engines;
  private final MemorySegment[] bells;
  private final Map<Integer, List<StreamParts>> formerParts = new HashMap<>();
  private final SimulatedKeeper keeper;
  private final EventSet programs;
  private final List<StreamEnd> watched = new ArrayList<>();
  private final SimulatedTenants tenants;
  private InterfaceTenants shares;
  private StreamSection[] sections;
  private StreamPorts ports;
  private List<StreamListener> listeners;

  /**
   * A host that has just started.
   *
   * @param plans the listeners of its program
   */
  StreamHost(HostPair hosts, SimulatedHost host, RdmapSettings settings, List<ListenerPlan> plans) {
    this.hosts = hosts;
    this.host = host;
    this.plans = plans;
    tenants = new SimulatedTenants(hosts.seed());
    int count = host.stacks().size();
    engines = new SimulatedEngine[count];
    bells = new MemorySegment[count];
    keeper = new SimulatedKeeper(hosts, this);
    try {
      programs = EventSet.create();
    } catch (SystemCallException e) {
      throw new UncheckedIOException(e);
    }
    for (int i = 0; i < count; i++) {
      engines[i] = new SimulatedEngine(hosts, host, i, settings, StreamHost::heldMemory);
    }
    boot();
  }

  private static MemorySegment heldMemory() {
    return Arena.ofAuto().allocate(HELD, Long.BYTES);
  }

  /** Starts engines that know nothing of those before. */
  void boot() {
    begin();
    for (int i = 0; i < engines.length; i++) {
      bells[i] = Arena.ofAuto().allocate(Doorbells.OCTETS, 64);
      engines[i].forgetCommands();
      start(i);
    }
  }

  /** Makes the tenants' shares, and the program's listeners, whose sections follow. */
  private void begin() {
    shares = tenants.make();
    ports = new StreamPorts();
    sections = new StreamSection[engines.length];
    listeners = new ArrayList<>();
    boolean ipv4 = hosts.server().connectAddress() instanceof Ipv4Address;
    for (ListenerPlan each : plans) {
      StreamListener made =
          new StreamListener(
              each.number(),
              HostAddress.parse(ipv4 ? "0.0.0.0" : "::"),
              false,
              true,
              0,
              PORT,
              each.backlog(),
              sections);
      listeners.add(made);
      ports.add(made);
    }
  }

  /** Starts an engine on its present stack, with the program's section. */
  private void start(int index) {
    TaggedBuffers buffers = new TaggedBuffers(STAGS, new SplittableRandom(index));
    Engine engine = engines[index].start(engines[index].ddp(buffers), shares);
    try {
      engine.serveStreams(ports, SOCKETS_PORT, keeper);
    } catch (SystemCallException e) {
      throw new UncheckedIOException(e);
    }
    sections[index] =
        new StreamSection(
            engine,
            index,
            SessionOwner.unlimited(),
            new Doorbells(bells[index].address()),
            Runnable::run);
    engine.streams().begin(sections[index]);
  }

  // ---- It goes on in new engines ----

  /** Writes the state of an engine above its stack; with the first one, that of the listeners. */
  void write(int engine, SnapshotWriter snapshot, List<TcpConnection> former) {
    if (engine == 0) {
      transferListeners(snapshot);
    }
    List<StreamParts> parts = engine(engine).streams().parts();
    formerParts.put(engine, parts);
    engines[engine].write(snapshot, former, List.of(), new OwnedStreams(listeners, parts));
  }

  private void transferListeners(Snapshot snapshot) {
    listeners.forEach(each -> each.transfer(snapshot));
  }

  /** Goes on with a new engine and section, and with the first one new listeners. */
  void read(int engine, SnapshotReader snapshot, List<TcpConnection> next) {
    engines[engine].retire();
    if (engine == 0) {
      begin();
      transferListeners(snapshot);
    }
    start(engine);
    StreamSection section = sections[engine];
    List<StreamParts> parts =
        formerParts.get(engine).stream().map(each -> keeper.handOn(each, section)).toList();
    OwnedStreams owned = new OwnedStreams(listeners, parts);
    engines[engine].read(snapshot, next, List.of(), owned, number -> null);
    if (engine == engines.length - 1) {
      keeper.goOn();
    }
  }

  // ---- For its program ----

  HostPair hosts() {
    return hosts;
  }

  SimulatedHost host() {
    return host;
  }

  SimulatedKeeper keeper() {
    return keeper;
  }

  StreamPorts ports() {
    return ports;
  }

  /** One of its engines, by number. */
  Engine engine(int number) {
    return engines[number].engine();
  }

  /** Runs a command in one of its engines, or in the one that goes on with its work. */
  void execute(int engine, Runnable command) {
    engines[engine].execute(command);
  }

  /** The number of one of its engines. */
  int draw() {
    return engines.length == 1 ? 0 : hosts.random().nextInt(engines.length);
  }

  /** The number of an engine. */
  int number(Engine engine) {
    int number = 0;
    while (engine(number) != engine) {
      number++;
    }
    return number;
  }

  StreamSection section(int engine) {
    return sections[engine];
  }

  /** Lets what happens at a program's socket wake its end of the stream. */
  void watch(PairedSocket socket, StreamEnd end) {
    try {
      programs.add(
          socket.descriptor(), EventSet.IN | EventSet.OUT | EventSet.PEER_ENDED, watched.size());
      watched.add(end);
    } catch (SystemCallException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Wakes the ends of streams at whose sockets something has happened. */
  void look() {
    for (int ready = programs.poll(); ready > 0; ready = programs.poll()) {
      for (int i = 0; i < ready; i++) {
        watched.get((int) programs.token(i)).wake();
      }
    }
  }

  /** Rings the doorbell of a stream. */
  void ring(int engine, int index) {
    new Doorbells(bells[engine].address()).ring(index);
    host.scheduleTurn();
  }

  /** Power fails: all programs end. */
  void fail() {
    for (SimulatedEngine each : engines) {
      each.engine().streams().close();
    }
    keeper.clear();
  }

  /** The run is over. */
  void close() {
    fail();
    programs.close();
  }

  /** Checks what must hold when every stream has ended. */
  void judge() {
    if (host.isOff()) {
      return;
    }
    for (SimulatedEngine each : engines) {
      if (!each.engine().streams().parts().isEmpty()) {
        hosts.violations().add("streams are left behind");
      }
    }
    for (StreamListener each : listeners) {
      if (each.waiting() != 0) {
        hosts.violations().add(each.waiting() + " streams wait at a listener for ever");
      }
    }
  }
}
