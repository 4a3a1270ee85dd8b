package org.rddp.simulation;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.rddp.daemon.engine.ConnectionFailure;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineHandOver;
import org.rddp.daemon.engine.FaultHandler;
import org.rddp.daemon.engine.InterfaceTenants;
import org.rddp.daemon.engine.OwnedStreams;
import org.rddp.daemon.engine.Session;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.HeldMemory;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.TcpConnection;

/** An engine of a simulated host's daemon, and after it each engine that goes on with its work. */
public final class SimulatedEngine {
  /** Makes a turn fail, which breaks no rule. */
  public static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final HostPair hosts;
  private final SimulatedHost host;
  private final int stack;
  private final RdmapSettings settings;
  private final Supplier<MemorySegment> memory;

  /** Commands that the engine has not run. */
  private final Deque<Runnable> commands = new ArrayDeque<>();

  /** Memory for held messages, of the engine and of the one that goes on next. */
  private MemorySegment held;

  private MemorySegment heldNext;
  private Engine engine;
  private EngineHandOver handOver;

  /**
   * Creates one that has not started.
   *
   * @param stack its number on the host
   * @param memory makes memory for held messages
   */
  public SimulatedEngine(
      HostPair hosts,
      SimulatedHost host,
      int stack,
      RdmapSettings settings,
      Supplier<MemorySegment> memory) {
    this.hosts = hosts;
    this.host = host;
    this.stack = stack;
    this.settings = settings;
    this.memory = memory;
    host.duty(stack, this::turn);
  }

  /** A turn, with the next one scheduled for when a tenant's rate allows it to send. */
  private int turn(long now) {
    int work = engine.turn(now);
    long next = engine.ddp().nextDeadline();
    if (work == 0 && next > now && next != Long.MAX_VALUE) {
      hosts.network().events().schedule(next, any -> host.scheduleTurn(), 0);
    }
    return work;
  }

  /** The present engine. */
  public Engine engine() {
    return engine;
  }

  /** New parts, whose former ones, if there were any, are not used any more. */
  public DdpEngine ddp(TaggedBuffers buffers) {
    MemorySegment former = held;
    held = heldNext == null ? memory.get() : heldNext;
    heldNext = former;
    return new DdpEngine(buffers, new HeldMemory(held));
  }

  /**
   * Starts an engine on the host's present stack.
   *
   * @param tenants share what the host's engines send; null if nobody does
   */
  public Engine start(DdpEngine ddp, InterfaceTenants tenants) {
    engine =
        new Engine(
            host.address().toString(),
            host.addresses(),
            host.stacks().get(stack),
            ddp,
            settings,
            new Faults());
    if (tenants != null) {
      engine.shareAmong(tenants);
    }
    return engine;
  }

  /** Runs a command in the engine, or in the one that goes on with its work. */
  public void execute(Runnable command) {
    commands.add(command);
    engine.execute(this::runNext);
    host.scheduleTurn();
  }

  private void runNext() {
    commands.remove().run();
  }

  /** Nobody runs the commands that have not been run: power has failed. */
  public void forgetCommands() {
    commands.clear();
  }

  /**
   * Writes the state above TCP.
   *
   * @param programs the memories of programs
   * @param streams what the host has of octet streams
   */
  public void write(
      SnapshotWriter snapshot,
      List<TcpConnection> former,
      List<Memories.Range> programs,
      OwnedStreams streams) {
    handOver = new EngineHandOver(engine, former, programs, streams);
    handOver.write(snapshot);
  }

  /** Retires the engine that has written; {@link #start} and {@link #read} follow. */
  public void retire() {
    handOver.retire();
  }

  /**
   * Goes on with what the former engine has written, and with its commands.
   *
   * @param programs the memories of programs
   * @param streams what the host has of octet streams
   * @param sessions makes a session by its number
   */
  public void read(
      SnapshotReader snapshot,
      List<TcpConnection> next,
      List<Memories.Range> programs,
      OwnedStreams streams,
      IntFunction<Session> sessions) {
    new EngineHandOver(engine, next, programs, streams).read(snapshot, sessions);
    commands.forEach(any -> engine.execute(this::runNext));
  }

  private final class Faults implements FaultHandler {
    @Override
    public void onFault(String where, Throwable cause) {
      if (!(cause instanceof Failure)) {
        hosts.violations().add("fault in " + where + ": " + cause);
      }
    }

    @Override
    public void onConnectionFailed(ConnectionFailure failure) {
      onRefused(failure.connection() + ": " + failure.text());
    }

    @Override
    public void onRefused(String detail) {
      if (hosts.isTraced()) {
        hosts.trace(detail);
      }
    }
  }
}
