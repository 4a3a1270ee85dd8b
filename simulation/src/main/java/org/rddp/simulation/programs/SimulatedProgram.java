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
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.daemon.engine.SessionHandler;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.simulation.HostPair;

/**
 * A program and its session: it writes and polls its rings, asks the engine for what goes over the
 * control socket, and hears of events some time later. It polls after each turn of the engine, or
 * sleeps until it is woken.
 */
final class SimulatedProgram implements SessionHandler {
  /** After which a program that wants something looks again whether it can be had, in ns. */
  private static final long PATIENCE = 5_000_000;

  private static final int CONNECTIONS = 16;
  private static final int REGIONS = 128;

  /** What the engine does for a program. */
  interface Call<T> {
    T call() throws RequestRefusedException;
  }

  private final HostPair world;
  private final EngineHost host;
  private final String name;
  private final ProgramEventCounts counts;
  private final SplittableRandom random;
  private final Engine engine;
  private final Session session;
  private final DaemonRings daemonEnd;
  private final ProgramRings rings;
  private final PolledCompletion completion = new PolledCompletion();
  private final List<ProgramEndpoint> ends = new ArrayList<>();
  private final Deque<Runnable> inbox = new ArrayDeque<>();
  private final boolean polls;
  private final int mostPolled;
  private final long delay;
  private SharedReceives shared;
  private long wakeAt = Long.MAX_VALUE;
  private boolean posted;

  /** Something found no room: nobody tells when there is some. */
  private boolean retries;

  private boolean closing;
  private boolean over;
  private long progress;

  /** A program whose session begins. */
  SimulatedProgram(EngineHost host, String name, ProgramEventCounts counts) {
    this.host = host;
    this.name = name;
    this.counts = counts;
    world = host.world();
    engine = host.engine();
    random = world.random().split();
    polls = random.nextBoolean();
    mostPolled = 1 << random.nextInt(8);
    delay = 1 + (long) world.settings().logUniform(100, 200_000);
    int slots = 8 << random.nextInt(6);
    int completions = 256 << random.nextInt(2);
    MemorySegment memory = Arena.ofAuto().allocate(DaemonRings.octets(slots, completions), 64);
    daemonEnd = new DaemonRings(memory, slots, completions);
    try {
      rings = new ProgramRings(memory);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    SessionLimits limits =
        new SessionLimits(
            completions,
            host.settings().sendDepth(),
            host.settings().receiveDepth(),
            WorkRequest.MAX_INLINE,
            CONNECTIONS,
            REGIONS,
            Long.MAX_VALUE);
    session = new Session(name, engine, limits, daemonEnd, this::woken, this);
    host.execute(() -> engine.begin(session));
    host.add(this);
  }

  void add(ProgramEndpoint end) {
    ends.add(end);
  }

  /** Its shared receive queue, once it has one. */
  SharedReceives shared() {
    return shared;
  }

  void share(SharedReceives receives) {
    shared = receives;
  }

  // ---- Between it and the daemon ----

  /** Asks for something over the control socket; it may not be refused. */
  <T> void control(String what, Call<T> call, Consumer<T> reply) {
    control(call, reply, e -> verify(false, what + " was refused: " + e.getMessage()));
  }

  /** Asks for something over the control socket. */
  <T> void control(Call<T> call, Consumer<T> reply, Consumer<RequestRefusedException> refused) {
    if (over) {
      return;
    }
    host.execute(() -> {
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

  /** What the engine says, within its turn. */
  @Override
  public void send(DaemonMessage message) {
    for (int i = 0; i < ends.size(); i++) {
      ends.get(i).happens(message);
    }
    deliver(() -> hear(message));
  }

  private void hear(DaemonMessage message) {
    if (world.isTraced()) {
      world.trace(name + " hears " + message);
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
    verify(false, "the session is to end: " + detail);
  }

  // ---- When it runs ----

  /** The daemon wakes it. */
  private void woken() {
    counts.add(ProgramEvent.WOKEN);
    wakeSoon();
  }

  /** Something about it has changed that nobody tells it of. */
  void stir() {
    wakeSoon();
  }

  private void wakeSoon() {
    wake(world.network().now() + random.nextLong(delay));
  }

  private void wake(long at) {
    if (at < wakeAt && !over) {
      wakeAt = at;
      world.network().events().schedule(at, this::awake, at);
    }
  }

  private void awake(long time) {
    if (time == wakeAt) {
      wakeAt = Long.MAX_VALUE;
      act();
    }
  }

  /** Its host has had a turn. */
  void afterTurn() {
    if (polls) {
      wakeSoon();
    }
  }

  /** Its memory is what it has to be. */
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
      // What the daemon says is said behind the completions that belong to it.
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
      wake(world.network().now() + 1 + random.nextLong(PATIENCE));
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
    if (world.isTraced()) {
      world.trace(name + " polls " + completion + ", retired " + completion.retired());
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
      verify(false, "a completion that nobody waits for: " + completion);
    }
  }

  /** Whether a request has gone to the ring; its program has to come back if not. */
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

  // ---- Its end ----

  /** Ends the session once everything else has ended. */
  private void finish() {
    boolean finished = !closing;
    for (int i = 0; i < ends.size() && finished; i++) {
      finished = ends.get(i).tidied();
    }
    if (!finished || (shared != null && !shared.tidied()) || rings.outstanding() > 0) {
      return;
    }
    closing = true;
    host.execute(() -> {
      verify(daemonEnd.inWork() == 0, "requests are in work, and all have ended");
      end();
    });
  }

  /** Its session ends within this turn of the engine, whatever is under way. */
  void die() {
    if (!closing && !over) {
      closing = true;
      host.execute(this::end);
    }
  }

  private void end() {
    if (!over) {
      engine.end(session);
      gone();
    }
  }

  /** Its session is gone, or its host: it does nothing any more. */
  void gone() {
    if (!over) {
      over = true;
      ends.forEach(ProgramEndpoint::gone);
      if (shared != null) {
        shared.gone();
      }
    }
  }

  /** Whether its session has ended. */
  boolean over() {
    return over;
  }

  /** What must hold when all is over. */
  void judge() {
    ends.forEach(ProgramEndpoint::judge);
    if (shared != null) {
      shared.judge();
    }
  }

  // ---- What it is ----

  void verify(boolean holds, String what) {
    if (!holds) {
      world.violations().add(name + ": " + what);
    }
  }

  HostPair world() {
    return world;
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

  /** Grows whenever it gets on. */
  long progress() {
    return progress + (over ? 1 : 0);
  }
}
