package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.IncomingStream;
import org.rddp.daemon.engine.OctetStream;
import org.rddp.daemon.engine.Pause;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.StreamKeeper;
import org.rddp.daemon.engine.StreamListener;
import org.rddp.daemon.engine.StreamParts;
import org.rddp.daemon.engine.StreamPorts;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.daemon.engine.StreamSignals;
import org.rddp.ipc.control.GivenBack;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.ipc.ring.StreamRing;
import org.rddp.snapshot.Snapshot;

/**
 * Octet streams outside of the engines: makes and frees their memory and sockets on a thread of its
 * own, and offers them to the listeners of programs. For the control thread, except what engines
 * call.
 */
final class StreamService implements StreamKeeper {
  /** Octets that each ring uses in the beginning, and at most. */
  static final int FIRST_RING = 1 << 16;

  static final int RING = 1 << 20;

  private final ControlServer server;
  private final StreamPorts ports = new StreamPorts();

  /** Checks memory, and closes sockets. */
  private final ExecutorService thread = MappingThreads.thread("rddp-streams");

  /** Makes and unmaps memory, for which checks do not wait. */
  private final ExecutorService memoryThread = MappingThreads.thread("rddp-stream-memory");

  private final WatchedSockets watched = new WatchedSockets();

  private final Map<Long, StreamSlot> slots = new HashMap<>();

  private final Set<StreamSlot.Claim> claims = new HashSet<>();

  /** Streams by the number by which the kernel knows the program's socket. Any thread. */
  private final Map<Long, OctetStream> streams = new ConcurrentHashMap<>();

  private final StreamBridges bridges;

  /** Any thread reads it; a listener leaves it before an engine knows that its program ends. */
  private final Map<StreamListener, ProgramListener> listeners = new ConcurrentHashMap<>();

  /** Those that have ended, while streams perhaps wait for them. */
  private final List<StreamListener> endedListeners = new ArrayList<>();

  private final StreamReserves reserves;

  private final StreamSpares spares;
  private final HeldTasks asked = new HeldTasks();
  private int lastNumber;

  /** Whether another daemon goes on. */
  private volatile boolean left;

  /** Serves streams on these engines; before their first turns. */
  StreamService(ControlServer server, List<InterfaceEngine> engines) throws SystemCallException {
    this.server = server;
    reserves = new StreamReserves(server::after, this::empty);
    spares =
        new StreamSpares(
            task -> run(memoryThread, task), server::execute, server.mappingThreads()::onNotLocked);
    bridges = new StreamBridges(server, this::onThread, streams::get);
    for (InterfaceEngine each : engines) {
      each.engine().serveStreams(ports, each.socketsPort(), this);
    }
  }

  /** The daemon's ends of listeners' and waiters' sockets. */
  WatchedSockets watched() {
    return watched;
  }

  StreamPorts ports() {
    return ports;
  }

  // ---- Memory and sockets ----

  /** Makes some memory before it is needed. */
  void prepare() {
    spares.fill();
  }

  /**
   * Gives a stream memory and sockets.
   *
   * @param slot of the stream
   * @param made called on the thread of the stream's engine
   * @param refused called on the control thread; the slot has been given back
   */
  void make(StreamSlot slot, Made made, Refused refused) {
    if (slot.claim() != null) {
      claims.add(slot.claim());
    }
    spares.take(
        spare -> {
          slots.put(spare.number(), slot);
          StreamParts parts = parts(slot, spare);
          slot.engine().execute(() -> made.made(parts));
        },
        why -> {
          giveBack(slot);
          refused.refused(
              new RequestRefusedException(
                  Reason.RESOURCES, "no memory for a stream: " + why.getMessage()));
        });
  }

  private static StreamParts parts(StreamSlot slot, StreamSpares.Spare spare) {
    StreamMemory memory = spare.memory();
    memory
        .header()
        .write(slot.section().number(), slot.index(), memory.sending(), memory.receiving());
    return new StreamParts(
        slot.section(),
        slot.index(),
        spare.number(),
        memory,
        spare.socket(),
        spare.programSocket(),
        spare.cookie(),
        spare.refusesDescriptors());
  }

  /** Takes what has been made. */
  interface Made {
    void made(StreamParts parts);
  }

  /** Takes why nothing could be made. */
  interface Refused {
    void refused(RequestRefusedException why);
  }

  /** Unmaps and closes what no engine uses. Any thread may call this. */
  void discard(StreamParts parts) {
    onThread(() -> {
      parts.socket().close();
      parts.programSocket().close();
      run(
          memoryThread,
          () -> {
            parts.memory().close();
            server.execute(() -> {
              streams.remove(parts.cookie());
              bridges.closeEnd(parts.number());
              giveBack(parts.number());
            });
          });
    });
  }

  /** Whether a stream has a local port towards a peer. */
  boolean isClaimed(StreamSlot.Claim claim) {
    return claims.contains(claim);
  }

  private void giveBack(long number) {
    StreamSlot slot = slots.remove(number);
    if (slot != null) {
      giveBack(slot);
    }
  }

  private void giveBack(StreamSlot slot) {
    claims.remove(slot.claim());
    slot.program().free(slot);
  }

  /**
   * Sends the message that wakes a program, on the engine's thread unless that has taken long for
   * one of its user.
   */
  void wake(Integer user, Runnable signal) {
    SlowUsers slow = server.slowUsers();
    if (slow.contains(user)) {
      onThread(signal);
    } else if (slow.wake(user, signal)) {
      server.execute(() ->
          server
              .events()
              .info(
                  "waking a program of user %d at an octet stream took longer than 1 ms, since very many threads or epoll instances wait for it: from now on another thread wakes its programs"
                      .formatted(user)));
    }
  }

  /** Runs a task on the engine of each section of a program, and then one on the control thread. */
  void onEngines(List<StreamSection> sections, Consumer<StreamSection> task, Runnable then) {
    int[] left = {sections.size()};
    for (StreamSection each : sections) {
      each.engine()
          .execute(() -> {
            task.accept(each);
            server.execute(() -> {
              left[0]--;
              if (left[0] == 0) {
                then.run();
              }
            });
          });
    }
  }

  private void onThread(Runnable task) {
    run(thread, task);
  }

  private static void run(ExecutorService on, Runnable task) {
    try {
      on.execute(task);
    } catch (RejectedExecutionException ended) {
      task.run();
    }
  }

  /** Ends the sockets of streams on a stuck engine: their programs must not wait for it. */
  void abandon(Engine engine) {
    for (OctetStream each : streams.values()) {
      StreamParts parts = each.parts();
      if (parts.section().engine() == engine) {
        onThread(parts.socket()::shutdown);
      }
    }
  }

  // ---- For engines ----

  /** Does on the control thread what the engine of another daemon would ask for, too. */
  private void ask(Runnable task) {
    asked.run(() -> server.execute(task));
  }

  @Override
  public void begin(OctetStream stream) {
    streams.put(stream.parts().cookie(), stream);
  }

  @Override
  public void onMoved(OctetStream stream) {
    long number = stream.parts().number();
    server.execute(() -> bridges.closeEnd(number));
  }

  @Override
  public void drain(PairedSocket socket) {
    onThread(() -> {
      if (socket.descriptor().isOpen()) {
        StreamSignals.drain(socket);
      }
    });
  }

  @Override
  public void close(PairedSocket socket) {
    onThread(socket::close);
  }

  @Override
  public void close(StreamMemory memory) {
    run(memoryThread, memory::close);
  }

  @Override
  public void prepare(IncomingStream incoming, StreamListener listener) {
    ProgramListener there = listeners.get(listener);
    StreamParts kept =
        there == null || watched.mayEndLeft() ? null : there.program().takeKept(incoming.engine());
    if (kept != null) {
      if (incoming.prepared(kept) == null) {
        discard(kept);
      }
      return;
    }
    ask(() -> {
      Engine engine = incoming.engine();
      // The control thread may have looked before the listener was closed.
      watched.endLeft();
      ProgramListener owner = listeners.get(listener);
      try {
        if (owner == null) {
          throw new RequestRefusedException(Reason.STATE, "the listener has ended");
        }
        StreamSlot slot = owner.program().take(engine, null);
        make(
            slot,
            parts -> {
              if (incoming.prepared(parts) == null) {
                discard(parts);
              }
            },
            why -> engine.execute(() -> incoming.refused(why.reason())));
      } catch (RequestRefusedException e) {
        engine.execute(() -> incoming.refused(e.reason()));
      }
    });
  }

  @Override
  public void check(OctetStream stream) {
    StreamParts parts = stream.parts();
    if (parts.memory().isImmutable()) {
      // Nothing is to be found out that may wait.
      stream.onChecked(parts.memory().isMapped());
      return;
    }
    // Not held: a program's request for a bridge waits for it.
    onThread(() -> {
      boolean safe = isSafe(parts.memory());
      parts.section().engine().execute(() -> stream.onChecked(safe));
    });
  }

  @Override
  public void allocate(OctetStream stream, StreamRing ring) {
    StreamParts parts = stream.parts();
    long more = (long) ring.largest() - ring.octets();
    ask(() -> {
      StreamSlot slot = slots.get(parts.number());
      if (slot != null && slot.program().shares().extend(slot, more)) {
        run(memoryThread, () -> allocate(stream, parts, ring, more));
      }
    });
  }

  private void allocate(OctetStream stream, StreamParts parts, StreamRing ring, long more) {
    try {
      parts.memory().allocate(ring);
      parts.section().engine().execute(() -> stream.onAllocated(ring));
    } catch (SystemCallException e) {
      server.faults().onRefused("no memory for a longer ring of a stream: " + e.getMessage());
      server.execute(() -> {
        StreamSlot slot = slots.get(parts.number());
        if (slot != null) {
          slot.program().shares().shorten(slot, more);
        }
      });
    }
  }

  private boolean isSafe(StreamMemory memory) {
    try {
      if (!memory.isMappedSafely()) {
        return false;
      }
      memory.share();
      return true;
    } catch (SystemCallException e) {
      server.faults().onRefused("no memory for a stream: " + e.getMessage());
      return false;
    }
  }

  @Override
  public void offer(OctetStream stream) {
    ProgramListener owner = listeners.get(stream.listener());
    if (owner == null) {
      // Its end tells the engine that nobody holds it.
      close(stream.parts().programSocket());
    } else {
      owner.add(stream);
    }
  }

  @Override
  public void onTaken(StreamListener listener) {
    ProgramListener owner = listeners.get(listener);
    if (owner != null) {
      owner.onTaken();
    }
  }

  @Override
  public void offerAgain(OctetStream stream) {
    StreamParts old = stream.parts();
    StreamListener before = stream.listener();
    Engine engine = old.section().engine();
    ask(() -> {
      StreamListener next = ports.find(before.port(), stream.ends().localAddress());
      ProgramListener owner = next == null || !next.enter() ? null : listeners.get(next);
      try {
        if (owner == null) {
          engine.execute(stream::dismiss);
          return;
        }
        make(
            owner.program().take(engine, null),
            parts -> {
              if (stream.replace(parts, next)) {
                discard(old);
              } else {
                next.leave();
                discard(parts);
              }
            },
            why -> dismiss(stream, next));
      } catch (RequestRefusedException e) {
        dismiss(stream, next);
      }
    });
  }

  private static void dismiss(OctetStream stream, StreamListener next) {
    next.leave();
    stream.parts().section().engine().execute(stream::dismiss);
  }

  @Override
  public void release(OctetStream stream) {
    StreamParts parts = stream.parts();
    if (parts.bridge() != null || left) {
      discard(parts);
      return;
    }
    onThread(() -> {
      boolean given = GivenBack.isSaid(parts.socket(), parts.section().owner().user());
      parts.socket().close();
      parts.programSocket().close();
      StreamSpares.Spare next = given && !left ? spares.renew(parts.memory()) : null;
      if (next == null) {
        discard(parts);
      } else {
        server.execute(() -> keep(parts, next));
      }
    });
  }

  /**
   * Leaves the memory of a stream that has ended to its program's next one, if that may keep it.
   */
  private void keep(StreamParts ended, StreamSpares.Spare next) {
    streams.remove(ended.cookie());
    bridges.closeEnd(ended.number());
    StreamSlot slot = slots.remove(ended.number());
    slots.put(next.number(), slot);
    StreamParts parts = parts(slot, next);
    if (!asked.isHolding() && slot.program().keeps(slot)) {
      StreamReserve reserve = slot.program().reserve();
      reserve.add(parts);
      reserves.add(reserve, slot.program().user());
    } else {
      discard(parts);
    }
  }

  /** Empties all reserves. Returns whether there was something. */
  boolean emptyReserves() {
    boolean any = false;
    for (StreamReserve each : reserves.all()) {
      any |= empty(each);
    }
    return any;
  }

  /** What is kept for later streams of all programs of a user. */
  int kept(int user) {
    return reserves.count(user);
  }

  /** Gives back what is kept for later streams. Returns whether there was something. */
  boolean empty(StreamReserve reserve) {
    reserves.remove(reserve);
    List<StreamParts> all = reserve.takeAll();
    for (StreamParts each : all) {
      // The quotas at once: somebody may wait for them.
      giveBack(each.number());
      discard(each);
    }
    return !all.isEmpty();
  }

  // ---- Listeners ----

  /** Number of a listener or waiter that begins. */
  int nextNumber() {
    return ++lastNumber;
  }

  /** Begins to offer streams. */
  void begin(ProgramListener listener) throws SystemCallException {
    int number = listener.listener().number();
    watched.add(number, listener.descriptor(), () -> listener.program().listeners().end(number));
    listeners.put(listener.listener(), listener);
    ports.add(listener.listener());
  }

  /** The owner of a listener. */
  ProgramListener owner(StreamListener listener) {
    return listeners.get(listener);
  }

  /** Ends a listener. */
  void end(ProgramListener listener) {
    if (listeners.remove(listener.listener()) != null) {
      watched.remove(listener.listener().number());
      ports.remove(listener.listener());
      listener.end();
      awaitedListeners();
      endedListeners.add(listener.listener());
    }
  }

  // ---- Another daemon goes on with them ----

  /**
   * What engines ask for, no program waits for, and another daemon's engines will ask for, too,
   * waits until {@link #resume}.
   */
  void hold() {
    asked.hold();
    server.execute(this::emptyReserves);
  }

  /** Does it, and what follows. */
  void resume() {
    asked.resume();
  }

  /** Lets the thread pause that closes sockets; before {@link #pauseMemory}. */
  void pause(Pause pause) {
    onThread(pause::take);
  }

  /** Lets the thread pause that makes and unmaps memory. */
  void pauseMemory(Pause pause) {
    run(memoryThread, pause::take);
  }

  /** The listeners that have ended while streams wait for them. */
  List<StreamListener> awaitedListeners() {
    endedListeners.removeIf(each -> each.waiting() == 0);
    return List.copyOf(endedListeners);
  }

  /** Transfers the last numbers of listeners and streams. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(StreamService.class);
    lastNumber = snapshot.number("lastNumber", lastNumber);
    spares.transfer(snapshot);
    snapshot.end();
  }

  /** What a stream takes of its program's quotas; null if there is no such stream. */
  StreamSlot slot(long number) {
    return slots.get(number);
  }

  StreamBridges bridges() {
    return bridges;
  }

  /** The stream whose program's socket has a cookie; null for none. */
  OctetStream stream(long cookie) {
    return streams.get(cookie);
  }

  /** The sessions that have ended, and whose streams live on. */
  List<ProgramSockets> endedPrograms() {
    return slots.values().stream()
        .map(StreamSlot::program)
        .filter(ProgramSockets::hasLeft)
        .distinct()
        .toList();
  }

  /** The programs with streams whose memory another daemon cannot map. */
  Set<ProgramSockets> programsWithOwnMemory() {
    return streams.values().stream()
        .map(OctetStream::parts)
        .filter(StreamService::hasOwnMemory)
        .map(each -> slots.get(each.number()))
        .filter(Objects::nonNull)
        .map(StreamSlot::program)
        .collect(Collectors.toSet());
  }

  private static boolean hasOwnMemory(StreamParts parts) {
    try {
      // Other threads may give it back meanwhile, the socket first.
      return !parts.memory().canGoOver() && parts.socket().descriptor().isOpen();
    } catch (IllegalStateException givenBack) {
      return false;
    }
  }

  /**
   * Takes a stream that another daemon has had.
   *
   * @param bridgeEnd the programs' end of its bridge; null for none
   */
  void inherit(long number, StreamSlot slot, PairedSocket bridgeEnd) {
    slots.put(number, slot);
    if (slot.claim() != null) {
      claims.add(slot.claim());
    }
    if (bridgeEnd != null) {
      bridges.inherit(number, bridgeEnd);
    }
  }

  /** Inherits a listener that has ended, while streams wait for it. */
  void inheritEnded(StreamListener listener) {
    endedListeners.add(listener);
  }

  /** Offers what another daemon has not. */
  void goOn() {
    listeners.values().forEach(ProgramListener::goOn);
  }

  /** Leaves all to another daemon, in a pause; {@link #close} follows. */
  void leave() {
    left = true;
    listeners.values().forEach(ProgramListener::leave);
  }

  private void closeHandedOver() {
    for (OctetStream each : streams.values()) {
      StreamParts parts = each.parts();
      parts.socket().close();
      parts.programSocket().close();
      if (parts.bridge() != null) {
        parts.bridge().close();
      }
      parts.memory().close();
    }
    bridges.close();
  }

  /** Ends the threads after their remaining work. No engine runs. */
  void close() {
    spares.stop();
    thread.close();
    memoryThread.close();
    spares.close();
    watched.close();
    if (left) {
      closeHandedOver();
    }
  }
}
