package org.rddp.daemon;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  private static final String CANNOT = "it cannot be handed over now: ";

  private final DaemonSnapshot state;
  private final Ports ports;
  private final List<EngineThread> threads;
  private final ControlServer control;
  private final SdNotifier notifier;
  private final Runnable end;
  private int successor;
  private Map<String, Long> macAddresses;

  /** What has been written for the other daemon. */
  private List<EngineHandOver> handOvers = List.of();

  /**
   * Creates one whose engines run.
   *
   * @param end closes everything that the daemon has, when the other one has its place
   */
  DepartingDaemon(
      DaemonSnapshot state,
      Ports ports,
      List<EngineThread> threads,
      ControlServer control,
      SdNotifier notifier,
      Runnable end) {
    this.state = state;
    this.ports = ports;
    this.threads = threads;
    this.control = control;
    this.notifier = notifier;
    this.end = end;
  }

  @Override
  public String stop(int process) throws ReplacementException {
    successor = process;
    String kept = notifier.keepsFrom(process);
    if (!kept.isEmpty()) {
      throw new ReplacementException(CANNOT + kept);
    }
    control.accept(false);
    try {
      long deadline = System.nanoTime() + Daemon.END_TIMEOUT;
      for (String left = stop(deadline); !left.isEmpty(); left = stop(deadline)) {
        goOn();
        control.accept(false);
        if (System.nanoTime() >= deadline) {
          throw new ReplacementException(CANNOT + left);
        }
      }
    } catch (SnapshotException e) {
      goOn();
      throw new ReplacementException(CANNOT + e.getMessage(), e);
    } catch (ReplacementException e) {
      goOn();
      throw e;
    }
    macAddresses = MacAddresses.of(state.interfaces(), ports.devices());
    ports.release();
    return MacAddresses.text(macAddresses);
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
    return begun.isEmpty() && state.engines().stream().anyMatch(Engine::hasCommands)
        ? "an engine has commands"
        : begun;
  }

  @Override
  public List<Descriptor> write(SnapshotWriter snapshot) {
    HandedDescriptors descriptors = new HandedDescriptors();
    handOvers = state.write(snapshot, descriptors);
    state.statistics().move(true);
    List<Descriptor> all = new ArrayList<>(List.of(control.socket()));
    all.addAll(descriptors.written());
    return all;
  }

  @Override
  public void resume() {
    try {
      ports.take(macAddresses);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    state.associations().forEach(AssociationDatabase::resume);
    handOvers = List.of();
    state.statistics().move(false);
    goOn();
  }

  private void goOn() {
    threads.forEach(EngineThread::resume);
    control.handOver().resume();
    control.accept(true);
  }

  @Override
  public void leave() {
    notifier.replacedBy(successor);
    handOvers.forEach(EngineHandOver::retire);
    threads.forEach(EngineThread::retire);
    control.leave();
    end.run();
  }
}
