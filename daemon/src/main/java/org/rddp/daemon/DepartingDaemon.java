package org.rddp.daemon;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.configuration.ReplacementRules;
import org.rddp.daemon.control.ControlServer;
import org.rddp.daemon.control.HandedDescriptors;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineHandOver;
import org.rddp.daemon.engine.EngineThread;
import org.rddp.daemon.replacement.Departing;
import org.rddp.daemon.replacement.ReplacementException;
import org.rddp.ip.AssociationDatabase;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotWriter;

/** A daemon that another one takes the place of: see {@link Departing}. */
final class DepartingDaemon implements Departing {
  /** Time in ns between two attempts to take a device back. */
  private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(20);

  /** Time in ns after which a device that cannot be taken back is given up. */
  private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(60);

  private final Daemon daemon;
  private final Interfaces interfaces;
  private final Ports ports;
  private final List<EngineThread> threads;
  private final ControlServer control;
  private final SdNotifier notifier;
  private final Urgency urgency;
  private int successor;

  /** Knows when it has begun, so that it is never another process that has its number later. */
  private Optional<ProcessHandle> process = Optional.empty();

  /** The names of the interfaces that go over, and how many engines of each. */
  private Map<String, Integer> kept = Map.of();

  private Map<String, Long> macAddresses;

  /** What has been written for the other daemon. */
  private List<EngineHandOver> handOvers = List.of();

  /** Creates one whose engines run; the others are parts of the daemon. */
  DepartingDaemon(
      Daemon daemon,
      Interfaces interfaces,
      Ports ports,
      List<EngineThread> threads,
      ControlServer control,
      SdNotifier notifier,
      Urgency urgency) {
    this.daemon = daemon;
    this.interfaces = interfaces;
    this.ports = ports;
    this.threads = threads;
    this.control = control;
    this.notifier = notifier;
    this.urgency = urgency;
  }

  @Override
  public void admit(int number, String theirs) throws ReplacementException {
    successor = number;
    process = ProcessHandle.of(number);
    InterfaceTerms terms = new InterfaceTerms(interfaces.configured(), theirs);
    kept = terms.kept();
    String refusal = notifier.keepsFrom(number);
    if (!refusal.isEmpty()) {
      throw ReplacementException.notNow(refusal, null);
    }
    checkDevices();
    try {
      control
          .handOver()
          .limit(terms.differences(), terms.difference(), System.nanoTime() + Daemon.END_TIMEOUT);
    } catch (SnapshotException e) {
      throw ReplacementException.notNow(e.getMessage(), e);
    }
  }

  @Override
  public void rehearse() {
    daemon.rehearse();
  }

  @Override
  public List<Descriptor> memories(int most) throws ReplacementException {
    try {
      return control.handOver().largestMemories(most, System.nanoTime() + Daemon.END_TIMEOUT);
    } catch (SnapshotException e) {
      throw ReplacementException.notNow(e.getMessage(), e);
    }
  }

  @Override
  public String stop() throws ReplacementException {
    urgency.begin();
    control.accept(false);
    boolean stopped = false;
    try {
      stopAll();
      stopped = true;
    } catch (SnapshotException e) {
      throw ReplacementException.notNow(e.getMessage(), e);
    } finally {
      if (!stopped) {
        goOn();
      }
    }
    return release();
  }

  private void stopAll() throws ReplacementException {
    long deadline = System.nanoTime() + Daemon.END_TIMEOUT;
    for (String left = stop(deadline); !left.isEmpty(); left = stop(deadline)) {
      if (System.nanoTime() >= deadline) {
        throw ReplacementException.notNow(left, null);
      }
      goOn();
      urgency.begin();
      control.accept(false);
    }
  }

  /** Lets go of the devices that one process can have at a time; returns what they are. */
  private String release() throws ReplacementException {
    boolean released = false;
    macAddresses = MacAddresses.of(interfaces.configured(), ports.devices());
    try {
      ports.release();
      released = true;
    } catch (RuntimeException e) {
      throw ReplacementException.notNow(e.getMessage(), e);
    } finally {
      if (!released) {
        resume();
      }
    }
    return MacAddresses.text(macAddresses);
  }

  /** The other process may not know which devices these are. */
  private void checkDevices() throws ReplacementException {
    for (InterfaceConfiguration each : interfaces.configured()) {
      String problem = ReplacementRules.problem(each.device());
      if (each.device().isExclusive() && problem != null) {
        throw ReplacementException.notNow(problem, null);
      }
    }
  }

  /** Stops everything between two requests of programs; returns what was under way, or nothing. */
  private String stop(long deadline) throws ReplacementException {
    control.handOver().quiesce(deadline);
    for (EngineThread thread : threads) {
      if (!thread.pause(Daemon.END_TIMEOUT)) {
        throw new ReplacementException("the thread " + thread.name() + " is stuck");
      }
    }
    String begun = control.handOver().pause(deadline);
    return begun.isEmpty() && interfaces.engines().stream().anyMatch(Engine::hasCommands)
        ? "an engine has commands"
        : begun;
  }

  @Override
  public List<Descriptor> write(SnapshotWriter snapshot) {
    HandedDescriptors descriptors = new HandedDescriptors();
    HandedStacks stacks = HandedStacks.write(snapshot, interfaces, kept);
    handOvers =
        new DaemonSnapshot(stacks, control.handOver(), interfaces.statistics())
            .write(snapshot, descriptors);
    interfaces.statistics().move(true);
    List<Descriptor> all = new ArrayList<>(List.of(control.socket()));
    all.addAll(descriptors.written());
    return all;
  }

  @Override
  public void resume() {
    takeDevices();
    threads.forEach(EngineThread::devicesReopened);
    interfaces.associations().forEach(AssociationDatabase::resume);
    handOvers = List.of();
    interfaces.statistics().move(false);
    goOn();
  }

  /**
   * Takes the devices back: peers could not be reached without. The other process has let go of
   * them, or ends, unless it has been stopped.
   */
  private void takeDevices() {
    long begin = System.nanoTime();
    String why = "";
    while (true) {
      try {
        ports.take(macAddresses);
        return;
      } catch (IOException e) {
        long waited = System.nanoTime() - begin;
        if (!why.equals(e.getMessage())) {
          why = e.getMessage();
          daemon.warn("a device is not free yet, and the engines wait for it: " + why);
        }
        if (waited > Daemon.END_TIMEOUT) {
          process.ifPresent(ProcessHandle::destroyForcibly);
        }
        if (waited > LONGEST_WAIT) {
          daemon.onEngineLost(Thread.currentThread().getName(), e);
          throw new IllegalStateException("its devices are not free: " + why, e);
        }
        LockSupport.parkNanos(RETRY);
      }
    }
  }

  private void goOn() {
    threads.forEach(EngineThread::resume);
    control.handOver().resume();
    control.accept(true);
    urgency.end();
  }

  @Override
  public void leave() {
    urgency.end();
    notifier.replacedBy(successor);
    handOvers.forEach(EngineHandOver::retire);
    threads.forEach(EngineThread::retire);
    control.leave();
    daemon.leave();
  }
}
