package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.OwnedStreams;
import org.rddp.daemon.engine.Pause;
import org.rddp.daemon.engine.Session;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;

/**
 * Lets another daemon go on with the sessions of programs: the part outside of the engines
 * (docs/handover.md). While state is transferred, the control thread and the links of programs
 * pause. One thread, which is none of them.
 */
public final class ProgramHandOver {
  /** Nanoseconds between two looks whether requests are under way. */
  private static final long LOOKS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The most programs that a refusal names. */
  private static final int NAMED = 8;

  private final ControlServer server;
  private final ProgramAdmission admission;
  private final StreamService service;
  private final StreamHandOver streams;
  private final List<Pause> pauses = new ArrayList<>();

  /** Those whose links were asked to receive nothing. Control thread only. */
  private final Set<ProgramSession> held = new HashSet<>();

  /** Those of them whose links may still receive requests. Control thread only. */
  private Set<ProgramSession> receiving = new HashSet<>();

  /** Why sessions on an interface, or one of its engines, cannot go over, by its name. */
  private Map<String, String> differences = Map.of();

  /** How the other daemon's interfaces and their order differ; empty if in nothing. */
  private String difference = "";

  /** Until when to wait for sessions that are being opened, of {@link System#nanoTime}. */
  private long beginningUntil;

  ProgramHandOver(ControlServer server, ProgramAdmission admission) {
    this.server = server;
    this.admission = admission;
    service = server.streams();
    streams = new StreamHandOver(server);
  }

  /** The programs that go over: all but those that are opening a session. */
  private List<ProgramSession> programs() {
    return server.programs().stream().filter(each -> !each.isBeginning()).toList();
  }

  /** Those of them that have a session. */
  private List<ProgramSession> sessions() {
    return server.programs().stream().filter(ProgramSession::hasBegun).toList();
  }

  /** The sessions for octet streams. */
  private List<ProgramSockets> sockets() {
    return sessions().stream().map(ProgramSession::sockets).filter(Objects::nonNull).toList();
  }

  /**
   * The descriptors of the largest memories that another daemon can map.
   *
   * @param most how many at the most
   * @param deadline of {@link System#nanoTime}
   * @return duplicates, which the caller closes; fewer if there are no more descriptors
   */
  public List<Descriptor> largestMemories(int most, long deadline) {
    return onControl(
        deadline,
        () -> {
          List<ProgramMapping> largest =
              sessions().stream()
                  .filter(each -> each.session() != null)
                  .flatMap(each -> each.requests().largeMemories())
                  .filter(ProgramMapping::canGoOver)
                  .sorted(Comparator.comparingLong(ProgramMapping::length).reversed())
                  .limit(most)
                  .toList();
          List<Descriptor> duplicates = new ArrayList<>();
          try {
            for (ProgramMapping each : largest) {
              duplicates.add(each.descriptor().duplicate());
            }
          } catch (SystemCallException noMore) {
            // The others are mapped while nobody serves them.
          }
          return duplicates;
        });
  }

  /**
   * Lets programs go over only if the other daemon has the interfaces that they use. Call it before
   * {@link #quiesce}.
   *
   * @param differences why sessions on an interface, or one of its engines, cannot go over, by its
   *     name
   * @param difference how the other daemon's interfaces and their order differ; empty if in nothing
   * @param deadline of {@link System#nanoTime}
   * @throws SnapshotException if a program cannot go over
   */
  public void limit(Map<String, String> differences, String difference, long deadline) {
    this.differences = differences;
    this.difference = difference;
    onControl(
        deadline,
        () -> {
          refuseKept();
          return "";
        });
  }

  /**
   * Leaves requests of programs in their sockets, and waits until those that were received are
   * done. {@link #resume} follows in any case. The engines run.
   *
   * @param deadline for the wait, of {@link System#nanoTime}
   * @throws SnapshotException if that takes longer, or a program has what cannot go over
   */
  public void quiesce(long deadline) {
    beginningUntil = System.nanoTime() + (deadline - System.nanoTime()) / 2;
    service.hold();
    String left = "at first";
    while (!left.isEmpty()) {
      left = onControl(deadline, this::check);
      if (!left.isEmpty()) {
        if (System.nanoTime() >= deadline) {
          throw new SnapshotException(left);
        }
        LockSupport.parkNanos(LOOKS);
      }
    }
  }

  /** Lets the links of programs receive nothing, but for what opens a session. */
  private void hold() {
    Set<ProgramSession> late = receiving;
    for (ProgramSession each : server.programs()) {
      if (each.isBeginning()) {
        if (held.remove(each)) {
          each.link().readAgain(); // Its Hello had been received.
        }
      } else if (held.add(each)) {
        late.add(each);
        each.link().hold(() -> late.remove(each));
      }
    }
  }

  /** Fails if there are programs that cannot go over. */
  private void refuseKept() {
    List<String> kept = new ArrayList<>();
    for (ProgramSession each : sessions()) {
      addIfKept(kept, each.name(), each.keptBy());
      addIfKept(kept, each.name(), keptByInterface(each));
    }
    for (ProgramSockets each : sockets()) {
      addIfKept(kept, each.name(), streamsKeptByInterfaces());
    }
    for (ProgramSockets each : service.endedPrograms()) {
      addIfKept(kept, each.name(), streamsKeptByInterfaces());
      addIfKept(kept, each.name(), each.keptBy());
    }
    for (ProgramSockets each : service.programsWithOwnMemory()) {
      addIfKept(kept, each.name(), "has octet streams whose memory no other process can map");
    }
    if (!kept.isEmpty()) {
      throw new SnapshotException(kept.stream().limit(NAMED).collect(Collectors.joining("; ")));
    }
  }

  /** What is under way; empty if nothing is. Fails for programs that cannot go over. */
  private String check() {
    hold();
    refuseKept();
    if (!receiving.isEmpty()) {
      return "a program's thread is busy";
    }
    if (!server.ending().isEmpty()) {
      return names(server.ending(), " is ending");
    }
    List<ProgramSession> beginning =
        server.programs().stream().filter(ProgramSession::isBeginning).toList();
    if (!beginning.isEmpty() && System.nanoTime() - beginningUntil < 0) {
      return names(beginning, " is opening a session");
    }
    List<ProgramSession> busy = programs().stream().filter(each -> !each.isIdle()).toList();
    return names(busy, " waits for the answer to a request");
  }

  private String keptByInterface(ProgramSession program) {
    if (program.session() == null) {
      return "";
    }
    InterfaceEngine at = program.daemonInterface();
    String why = differences.getOrDefault(at.name(), differences.get(at.engine().name()));
    return why == null ? "" : "has a session on the interface " + at.name() + ", " + why;
  }

  /** A program with octet streams has parts for each engine, in their order. */
  private String streamsKeptByInterfaces() {
    return difference.isEmpty()
        ? ""
        : "has octet streams, so interfaces must stay the same: " + difference;
  }

  private static void addIfKept(List<String> kept, String name, String why) {
    if (!why.isEmpty()) {
      kept.add(name + " " + why);
    }
  }

  private static String names(Collection<ProgramSession> programs, String what) {
    return programs.stream()
        .limit(NAMED)
        .map(each -> each.name() + what)
        .collect(Collectors.joining("; "));
  }

  private <T> T onControl(long deadline, Supplier<T> action) {
    CompletableFuture<T> result = new CompletableFuture<>();
    server.execute(() -> {
      try {
        result.complete(action.get());
      } catch (RuntimeException | Error e) {
        result.completeExceptionally(e);
      }
    });
    try {
      return result.get(Math.max(LOOKS, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new SnapshotException("the control thread is busy");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SnapshotException("interrupted");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SnapshotException known
          ? known
          : new SnapshotException("internal error: " + e.getCause());
    }
  }

  /**
   * Lets the control thread and the links pause; the engines make no turn.
   *
   * @param deadline of {@link System#nanoTime}
   * @return what has begun since {@link #quiesce}; empty if nothing has: {@link #transfer} may
   *     follow
   * @throws SnapshotException if they do not pause in time
   */
  public String pause(long deadline) {
    await(ask(pause -> server.execute(pause::take)), deadline, "the control thread is busy");
    // All at once: each may have to wait for a processor.
    Map<Pause, String> asked = new LinkedHashMap<>();
    for (ProgramSession each : programs()) {
      asked.put(ask(each.link()::pause), "the thread of " + each.name() + " is busy");
    }
    asked.put(ask(service::pause), "the thread that closes sockets of streams is busy");
    asked.put(ask(service::pauseMemory), "the thread that makes memory of streams is busy");
    asked.forEach((pause, late) -> await(pause, deadline, late));
    if (server.hasTasks()) {
      return "programs are ending";
    }
    for (ProgramSession each : programs()) {
      if (each.link().hasDescriptorsToSend()) {
        return each.name() + " has not received memory that it has asked for";
      }
    }
    return check();
  }

  /** Asks a thread to pause. */
  private Pause ask(Consumer<Pause> thread) {
    Pause pause = new Pause();
    pauses.add(pause);
    thread.accept(pause);
    return pause;
  }

  private static void await(Pause pause, long deadline, String late) {
    if (!pause.await(Math.max(LOOKS, deadline - System.nanoTime()))) {
      throw new SnapshotException(late);
    }
  }

  /** Lets all go on as if nothing had happened. */
  public void resume() {
    endPauses();
    service.resume();
    server.execute(() -> {
      held.forEach(each -> each.link().readAgain());
      held.clear();
      receiving = new HashSet<>();
    });
  }

  /** Leaves the programs to another daemon, in a pause; the control server is closed next. */
  void leave() {
    programs().forEach(each -> each.link().leave());
    sockets().forEach(ProgramSockets::leave);
    service.endedPrograms().forEach(ProgramSockets::leave);
    service.leave();
  }

  void endPauses() {
    pauses.forEach(Pause::end);
    pauses.clear();
  }

  /**
   * Transfers the sessions, and the octet streams; when read, before the control thread is started.
   *
   * @param engines of the interfaces that go over
   */
  public void transfer(
      Snapshot snapshot, HandedDescriptors descriptors, List<InterfaceEngine> engines) {
    snapshot.begin(ProgramHandOver.class);
    admission.transfer(snapshot, descriptors);
    engines.stream()
        .map(InterfaceEngine::queuePairs)
        .distinct()
        .forEach(each -> each.transfer(snapshot));
    Iterator<ProgramSession> written = programs().iterator();
    while (snapshot.flag("programs", written.hasNext())) {
      ProgramSession.transfer(
          snapshot, descriptors, admission, snapshot.reads() ? null : written.next());
    }
    streams.transfer(snapshot, descriptors, sockets(), engines);
    if (snapshot.reads()) {
      shareNumbers();
    }
    snapshot.end();
  }

  /** Engines that the former daemon had not get numbers of queue pairs. */
  private void shareNumbers() {
    for (InterfaceEngine each : server.interfaces().all()) {
      if (!each.queuePairs().has(each.number())) {
        each.queuePairs().share(each.number(), server.interfaces().engines(each.name()).size());
      }
    }
  }

  /**
   * Goes on with captures and traces, after {@link #transfer} and before the engines' first turn.
   */
  public void goOn() {
    for (ProgramSession each : sessions()) {
      if (each.session() != null) {
        each.requests().goOnCapturing();
      }
    }
  }

  /** The memories of the programs of an engine, in an order that the other daemon has, too. */
  public List<Memories.Range> memories(Engine engine) {
    return sessions().stream()
        .filter(each -> each.session() != null && each.daemonInterface().engine() == engine)
        .flatMap(each -> each.requests().memories().stream())
        .toList();
  }

  /** What is owned of the octet streams of an engine, after {@link #transfer}. */
  public OwnedStreams streams(Engine engine) {
    return streams.owned(engine);
  }

  /** The engine's part of a session by its number; null if there is none. */
  public Session session(int number) {
    return sessions().stream()
        .filter(each -> each.number() == number)
        .map(ProgramSession::session)
        .findFirst()
        .orElse(null);
  }
}
