package org.rddp.simulation.programs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.rddp.client.types.SessionLimits;
import org.rddp.daemon.engine.HeapShare;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.daemon.engine.SessionHandler;
import org.rddp.daemon.engine.SessionOwner;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.memory.Slab;

/**
 * A program with a session. It posts to and polls its rings, calls the engine in place of the
 * control socket, and receives events some time later. It polls after each turn of the engine, or
 * sleeps until it is woken.
 */
final class SimulatedProgram implements SessionHandler {
  /** Time after which a program tries again, in ns. */
  private static final long PATIENCE = 5_000_000;

  private static final int CONNECTIONS = 16;
  private static final int REGIONS = 128;
  private static final byte SPOILT = 0x55;

  /** A control call, run by the engine. */
  interface Call<T> {
    T call() throws RequestRefusedException;
  }

  private final HostPair hosts;
  private final EngineHost host;
  private final String name;
  private final ProgramEventCounts counts;
  private final SplittableRandom random;

  /** Number of its engine on its host. */
  private final int engine;

  private final int number;
  private final SessionLimits limits;
  private final int slots;
  private final long ringMemory;
  private final ProgramRings rings;
  private DaemonRings daemonEnd;
  private Session session;

  /** The engine's memory for inline messages. */
  private MemorySegment inlineMemory;

  private final PolledCompletion completion = new PolledCompletion();
  private final List<ProgramEndpoint> ends = new ArrayList<>();
  private final Deque<Runnable> inbox = new ArrayDeque<>();
  private final boolean polls;
  private final int mostPolled;
  private final long delay;
  private SharedReceives shared;
  private long wakeAt = Long.MAX_VALUE;
  private boolean posted;

  /** A post found no room: the program has to try again. */
  private boolean retries;

  private boolean begun;
  private boolean closing;
  private boolean over;
  private long progress;
  private int turns;

  /** A program that begins a session. */
  SimulatedProgram(EngineHost host, String name, Slab slab, ProgramEventCounts counts) {
    this.host = host;
    this.name = name;
    this.counts = counts;
    hosts = host.hosts();
    engine = host.drawEngine();
    number = host.programs().size() + 1;
    random = hosts.random().split();
    polls = random.nextBoolean();
    mostPolled = 1 << random.nextInt(8);
    delay = 1 + (long) hosts.settings().logUniform(100, 200_000);
    slots = 8 << random.nextInt(6);
    int completions = 256 << random.nextInt(2);
    limits =
        new SessionLimits(
            completions,
            host.settings().sendDepth(),
            host.settings().receiveDepth(),
            WorkRequest.MAX_INLINE,
            CONNECTIONS,
            REGIONS,
            REGIONS,
            Long.MAX_VALUE);
    ringMemory = slab.take((int) DaemonRings.octets(slots, completions));
    MemorySegment memory = ringMemory(ringMemory).fill((byte) 0);
    beginSession();
    try {
      rings = new ProgramRings(memory, () -> {});
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    host.execute(
        engine,
        () -> {
          host.engine(engine).begin(session);
          begun = true;
        });
    host.add(this);
  }

  private MemorySegment ringMemory(long address) {
    long octets = DaemonRings.octets(slots, limits.completions());
    return MemorySegment.ofAddress(address).reinterpret(octets);
  }

  private void beginSession() {
    long address = host.memory(engine).address(ringMemory);
    daemonEnd = new DaemonRings(ringMemory(address), slots, limits.completions());
    inlineMemory = Arena.ofAuto().allocate(Session.inlineOctets(limits), 64);
    session =
        new Session(
            number,
            name,
            host.engine(engine),
            limits,
            daemonEnd,
            inlineMemory,
            this::woken,
            this,
            SessionOwner.unlimited(number - 1),
            HeapShare.unlimited());
  }

  /** Gets a session of the engine that goes on with the work of the former one. */
  Session goOn() {
    // Nobody may use it any more.
    inlineMemory.fill(SPOILT);
    beginSession();
    return session;
  }

  /** Its session's number on its host. */
  int number() {
    return number;
  }

  void add(ProgramEndpoint end) {
    ends.add(end);
  }

  /** Number of turns of its host. */
  int turns() {
    return turns;
  }

  /** Its ends of connections. */
  List<ProgramEndpoint> ends() {
    return ends;
  }

  /** Its shared receive queue, or null. */
  SharedReceives shared() {
    return shared;
  }

  void share(SharedReceives receives) {
    shared = receives;
  }

  // ---- Control calls and events ----

  /** Makes a control call that must not be refused. */
  <T> void control(String what, Call<T> call, Consumer<T> reply) {
    control(call, reply, e -> verify(false, what + " was refused: " + e.getMessage()));
  }

  /** Makes a control call. */
  <T> void control(Call<T> call, Consumer<T> reply, Consumer<RequestRefusedException> refused) {
    if (over) {
      return;
    }
    host.execute(
        engine,
        () -> {
          if (over) {
            return;
          }
          try {
            T result = call.call();
            deliver(() -> reply.accept(result));
          } catch (RequestRefusedException e) {
            deliver(() -> refused.accept(e));
          }
        });
  }

  private void deliver(Runnable message) {
    inbox.add(message);
    wakeSoon();
  }

  /** An event, within a turn of the engine. */
  @Override
  public void send(DaemonMessage message) {
    for (int i = 0; i < ends.size(); i++) {
      ends.get(i).happens(message);
    }
    deliver(() -> hear(message));
  }

  private void hear(DaemonMessage message) {
    if (hosts.isTraced()) {
      hosts.trace(name + " hears " + message);
    }
    progress++;
    if (message instanceof DaemonMessage.ReceiveQueueLimit limit) {
      verify(shared != null && shared.number() == limit.queue(), "a limit of no queue");
      shared.limitReached();
      return;
    }
    boolean heard = false;
    for (int i = 0; i < ends.size() && !heard; i++) {
      heard = ends.get(i).hear(message);
    }
    verify(heard, "hears of a connection that it does not have: " + message);
  }

  @Override
  public void onBroken(String detail) {
    verify(host.engine(engine).counters().restarts > 0, "the session is to end: " + detail);
    gone();
  }

  // ---- When it runs ----

  /** The daemon wakes the program. */
  private void woken() {
    counts.add(ProgramEvent.WOKEN);
    wakeSoon();
  }

  /** Lets the program run soon. */
  void stir() {
    wakeSoon();
  }

  private void wakeSoon() {
    wake(hosts.network().now() + random.nextLong(delay));
  }

  private void wake(long at) {
    if (at < wakeAt && !over) {
      wakeAt = at;
      hosts.network().events().schedule(at, this::awake, at);
    }
  }

  private void awake(long time) {
    if (time == wakeAt) {
      wakeAt = Long.MAX_VALUE;
      act();
    }
  }

  /** Called after each turn of its host. */
  void afterTurn() {
    turns++;
    if (polls) {
      wakeSoon();
    }
  }

  /** Checks its memory. */
  void check() {
    if (!over) {
      for (int i = 0; i < ends.size(); i++) {
        ends.get(i).memory().check("between two turns");
      }
    }
  }

  private void act() {
    if (over || host.host().isOff()) {
      return;
    }
    while (!inbox.isEmpty() && !over) {
      Runnable message = inbox.remove();
      // The daemon sends an event after the completions that belong to it.
      poll(Integer.MAX_VALUE);
      message.run();
    }
    poll(mostPolled);
    for (int i = 0; i < ends.size() && !over; i++) {
      ends.get(i).act();
    }
    if (over) {
      return;
    }
    if (shared != null) {
      shared.act();
    }
    finish();
    if (posted) {
      posted = false;
      host.host().scheduleTurn();
    }
    sleep();
  }

  private void sleep() {
    boolean wants = retries || (shared != null && shared.wants());
    retries = false;
    for (int i = 0; i < ends.size(); i++) {
      wants |= ends.get(i).wants();
    }
    if (wants) {
      wake(hosts.network().now() + 1 + random.nextLong(PATIENCE));
    }
    if (!polls && !rings.requestSignal()) {
      wakeSoon();
    }
  }

  private void poll(int most) {
    for (int i = 0; i < most && rings.poll(completion); i++) {
      progress++;
      take();
    }
    rings.publish();
  }

  private void take() {
    if (hosts.isTraced()) {
      hosts.trace(name + " polls " + completion + ", retired " + completion.retired());
    }
    ProgramEndpoint end = null;
    for (int i = 0; i < ends.size(); i++) {
      if (ends.get(i).has(completion)) {
        end = ends.get(i);
      }
    }
    if (end != null) {
      end.completed(completion);
    } else if (shared != null && shared.flushes(completion)) {
      shared.flushed(completion);
    } else {
      verify(false, "a completion of no request: " + completion);
    }
  }

  /** Notes whether a post has found room; returns that. */
  boolean posted(boolean done) {
    posted |= done;
    if (!done) {
      retries = true;
      counts.add(ProgramEvent.FULL);
    }
    return done;
  }

  ProgramRings rings() {
    return rings;
  }

  Session session() {
    return session;
  }

  // ---- End ----

  /** Ends the session when everything else has ended. */
  private void finish() {
    boolean finished = !closing;
    for (int i = 0; i < ends.size() && finished; i++) {
      finished = ends.get(i).tidied();
    }
    if (!finished || (shared != null && !shared.tidied()) || rings.outstanding() > 0) {
      return;
    }
    closing = true;
    host.execute(
        engine,
        () -> {
          verify(daemonEnd.inWork() == 0, "requests are in work, and all have ended");
          end();
        });
  }

  /** Ends the session within this turn of the engine, with requests pending. */
  void die() {
    if (!closing && !over) {
      closing = true;
      host.execute(engine, this::end);
    }
  }

  private void end() {
    if (!over) {
      host.engine(engine).end(session);
      gone();
    }
  }

  /** Its session has ended, or power has failed: it does nothing more. */
  void gone() {
    if (!over) {
      over = true;
      ends.forEach(ProgramEndpoint::gone);
      if (shared != null) {
        shared.gone();
      }
    }
  }

  /** Whether the engine has taken its session. */
  boolean begun() {
    return begun || over;
  }

  /** Whether its session has ended. */
  boolean over() {
    return over;
  }

  /** Checks what must hold at the end. */
  void judge() {
    ends.forEach(ProgramEndpoint::judge);
    if (shared != null) {
      shared.judge();
    }
  }

  // ---- State ----

  void verify(boolean holds, String what) {
    if (!holds) {
      hosts.violations().add(name + ": " + what);
    }
  }

  HostPair hosts() {
    return hosts;
  }

  /** Number of its engine on its host. */
  int engine() {
    return engine;
  }

  /** Gives its engine a range of its memory under an STag. */
  int register(long address, int octets, int rights, int connection)
      throws RequestRefusedException {
    return session.register(host.memory(engine).address(address), octets, rights, connection);
  }

  EngineHost host() {
    return host;
  }

  String name() {
    return name;
  }

  ProgramEventCounts counts() {
    return counts;
  }

  SplittableRandom random() {
    return random;
  }

  /** A number that grows when it makes progress. */
  long progress() {
    return progress + (over ? 1 : 0);
  }
}
