package org.rddp.daemon.control;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.FaultHandler;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCallException;

/**
 * The control thread: waits for programs, for what they ask, for their ends, for timers, and for
 * what the engines have to say.
 */
public final class ControlServer implements FaultHandler, AutoCloseable {
  /** Messages read from one program before it is the next one's turn. */
  private static final int MESSAGES = 16;

  /** Programs that have connected and not said Hello, beyond the sessions. */
  private static final int MAX_PROGRAMS_WITHOUT_HELLO = 32;

  /** Tasks waiting, beyond which peers' misdeeds and failures inside are no longer logged. */
  private static final int MAX_TASKS_FOR_LOG = 256;

  /** How long a program may take to say Hello. */
  private static final long HELLO_TIMEOUT = TimeUnit.SECONDS.toNanos(5);

  /** How often is looked for programs that have not said Hello in time. */
  private static final long HELLO_PERIOD = TimeUnit.SECONDS.toNanos(1);

  /** How long nobody is admitted after an attempt that failed. */
  private static final long ADMISSION_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final int OWN_USER = ownUser();

  private record Timer(long deadline, Runnable task) {}

  private final ControlListener listener;
  private final List<DaemonInterface> interfaces;
  private final Limits limits;
  private final Set<Integer> users;
  private final Statistics statistics;
  private final DaemonLog log;
  private final EventFd wake;
  private final Quota sessions;
  private final Quota memory;
  private final Quota mappings;
  private final ManyToOneConcurrentLinkedQueue<Runnable> tasks =
      new ManyToOneConcurrentLinkedQueue<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>((a, b) -> Long.compare(a.deadline - b.deadline, 0));
  private final Set<ProgramSession> programs = new LinkedHashSet<>();
  private final Set<ProgramSession> ending = new LinkedHashSet<>();
  private final Map<DaemonInterface, ProgramSession> captures = new HashMap<>();
  private final Thread thread = new Thread(this::run, "rddp-control");
  private volatile boolean running = true;
  private volatile boolean accepting = true;

  /** Whether nobody is admitted for the moment, because the last attempt failed. */
  private boolean admissionPaused;

  /**
   * A server that is not started.
   *
   * @param users who may connect besides root and the daemon's own user; empty: all whom the
   *     socket's mode admits
   */
  public ControlServer(
      ControlListener listener,
      List<DaemonInterface> ports,
      Limits limits,
      Set<Integer> users,
      Statistics statistics,
      DaemonLog log)
      throws SystemCallException {
    this.listener = listener;
    this.interfaces = List.copyOf(ports);
    this.limits = limits;
    this.users = Set.copyOf(users);
    this.statistics = statistics;
    this.log = log;
    this.wake = EventFd.create();
    this.sessions = new Quota("sessions of this daemon", limits.sessions(), null);
    this.memory = new Quota("octets of memory of this daemon", limits.memory(), null);
    this.mappings = new Quota("memories of this daemon", limits.mappings(), null);
  }

  /** Starts it. */
  public void start() {
    after(Statistics.PERIOD, this::refreshStatistics);
    after(HELLO_PERIOD, this::endProgramsWithoutHello);
    thread.start();
  }

  /** One timer for all: programs that come and go leave none behind. */
  private void endProgramsWithoutHello() {
    long now = System.nanoTime();
    for (ProgramSession program : List.copyOf(programs)) {
      if (!program.hasSession() && now - program.connectedAt() > HELLO_TIMEOUT) {
        program.end("it did not say Hello", null);
      }
    }
    after(HELLO_PERIOD, this::endProgramsWithoutHello);
  }

  private void refreshStatistics() {
    statistics.refresh(sessions.used(), memory.used());
    after(Statistics.PERIOD, this::refreshStatistics);
  }

  // ---- The loop ----

  private void run() {
    PollSet poll = new PollSet();
    List<ProgramSession> polled = new ArrayList<>();
    while (running) {
      try {
        turn(poll, polled);
      } catch (IOException | RuntimeException | Error e) {
        log.error("the control thread", e);
      }
    }
  }

  private void turn(PollSet poll, List<ProgramSession> polled) throws IOException {
    poll.clear();
    polled.clear();
    poll.add(wake.descriptor());
    boolean admits =
        accepting
            && !admissionPaused
            && programs.size() < limits.sessions() + MAX_PROGRAMS_WITHOUT_HELLO;
    int door = admits ? poll.add(listener.descriptor()) : -1;
    boolean waiting = false;
    int first = poll.add(wake.descriptor()) + 1;
    for (ProgramSession program : programs) {
      polled.add(program);
      // A program that is not read is still watched: by its process, where the kernel can.
      Descriptor process = program.socket().peerProcess();
      poll.add(program.isReading() || process == null ? program.socket().descriptor() : process);
      poll.add(process == null ? wake.descriptor() : process);
      waiting |= program.hasUnsentMessages();
    }
    poll.await(waiting ? TimeUnit.MILLISECONDS.toNanos(1) : untilNextTimer());
    if (poll.isReady(0)) {
      wake.clear();
    }
    for (int i = 0; i < polled.size(); i++) {
      ProgramSession program = polled.get(i);
      if (program.hasUnsentMessages()) {
        program.sendUnsentMessages();
      }
      if (poll.isReady(first + 2 * i) && program.isReading()) {
        read(program);
      }
      boolean watched = program.socket().peerProcess() != null;
      if (watched && poll.isReady(first + 2 * i + 1)) {
        program.end("its process has ended", null);
      }
    }
    if (door >= 0 && poll.isReady(door)) {
      admit();
    }
    runTasks();
    runTimers();
  }

  private void read(ProgramSession program) {
    try {
      for (int i = 0; i < MESSAGES && program.isReading() && programs.contains(program); i++) {
        ProgramMessage message = program.socket().receiveFromProgram();
        if (message == null) {
          return;
        }
        program.handle(message);
      }
    } catch (IOException e) {
      program.end(e.getMessage(), null);
    } catch (RuntimeException | Error e) {
      log.error("a request of " + program.name(), e);
      program.end("internal error: " + e, null);
    }
  }

  private void admit() {
    ControlSocket socket;
    try {
      socket = listener.accept();
    } catch (IOException e) {
      // Out of descriptors, for example: whoever is inside must not suffer, and may free some.
      log.error("the control socket; no program is admitted for a second", e);
      admissionPaused = true;
      after(ADMISSION_PAUSE, () -> admissionPaused = false);
      return;
    }
    if (socket != null) {
      programs.add(new ProgramSession(this, socket));
    }
  }

  private void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      run(task);
    }
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      log.error("the control thread", e);
    }
  }

  private void runTimers() {
    long now = System.nanoTime();
    while (!timers.isEmpty() && timers.peek().deadline - now <= 0) {
      run(timers.poll().task);
    }
  }

  private long untilNextTimer() {
    return timers.isEmpty() ? -1 : Math.max(0, timers.peek().deadline - System.nanoTime());
  }

  // ---- For programs and engines ----

  /** Has something done on the control thread. From any thread. */
  public void execute(Runnable task) {
    tasks.add(task);
    wake.signal();
  }

  boolean isOnItsThread() {
    return Thread.currentThread().equals(thread);
  }

  /** Has something done on the control thread after so many nanoseconds. Control thread only. */
  void after(long nanos, Runnable task) {
    timers.add(new Timer(System.nanoTime() + nanos, task));
  }

  /** Notes something that should not happen, unless too much waits already. From any thread. */
  @Override
  public void onFault(String where, Throwable cause) {
    if (tasks.size() < MAX_TASKS_FOR_LOG) {
      execute(() -> log.error(where, cause));
    }
  }

  /** Notes what a peer did, unless too much of that waits already. From any thread. */
  @Override
  public void onRefused(String detail) {
    if (tasks.size() < MAX_TASKS_FOR_LOG) {
      execute(() -> log.info(detail));
    }
  }

  void checkUser(PeerCredentials peer) throws RequestRefusedException {
    if (!users.isEmpty() && !isPrivileged(peer) && !users.contains(peer.uid())) {
      throw new RequestRefusedException(
          Reason.PERMISSION, "user " + peer.uid() + " is not among those whom the daemon serves");
    }
  }

  /** Frames are everybody's: only root and the daemon's own user may see them. */
  void checkCapture(PeerCredentials peer, DaemonInterface port) throws RequestRefusedException {
    if (!isPrivileged(peer)) {
      throw new RequestRefusedException(
          Reason.PERMISSION, "only root and the daemon's own user may capture");
    }
    if (captures.containsKey(port)) {
      throw new RequestRefusedException(
          Reason.STATE, captures.get(port).name() + " captures " + port.name() + " already");
    }
  }

  private static boolean isPrivileged(PeerCredentials peer) {
    return peer.uid() == 0 || peer.uid() == OWN_USER;
  }

  private static int ownUser() {
    try {
      return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The interface of that name; the first for an empty one. */
  DaemonInterface daemonInterface(String name) throws RequestRefusedException {
    for (DaemonInterface port : interfaces) {
      if (name.isEmpty() || port.name().equals(name)) {
        return port;
      }
    }
    throw new RequestRefusedException(
        Reason.NO_INTERFACE,
        "no interface "
            + name
            + "; there is "
            + String.join(", ", interfaces.stream().map(DaemonInterface::name).toList()));
  }

  Limits limits() {
    return limits;
  }

  Quota sessions() {
    return sessions;
  }

  Quota memory() {
    return memory;
  }

  Quota mappings() {
    return mappings;
  }

  DaemonLog log() {
    return log;
  }

  Map<DaemonInterface, ProgramSession> captures() {
    return captures;
  }

  Descriptor countersDescriptor() {
    return statistics.descriptor();
  }

  void onEnding(ProgramSession program) {
    programs.remove(program);
    ending.add(program);
  }

  void onEnded(ProgramSession program) {
    ending.remove(program);
  }

  // ---- The end ----

  /** Admits no more programs and removes the socket from the file system. */
  public void stopAccepting() {
    accepting = false;
    execute(() -> {
      try {
        listener.close();
      } catch (IOException e) {
        log.error("the control socket", e);
      }
    });
  }

  /** Ends every session; when this returns they are gone, or the time is up. */
  public void endSessions(long timeoutNanos) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    execute(() -> {
      List.copyOf(programs).forEach(program -> program.end("the daemon stops", null));
      countDownWhenGone(done);
    });
    done.await(timeoutNanos, TimeUnit.NANOSECONDS);
  }

  private void countDownWhenGone(CountDownLatch done) {
    if (ending.isEmpty()) {
      done.countDown();
    } else {
      after(TimeUnit.MILLISECONDS.toNanos(1), () -> countDownWhenGone(done));
    }
  }

  /** Stops the thread and hangs up on programs whose sessions have not ended. */
  @Override
  public void close() {
    running = false;
    wake.signal();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    programs.forEach(program -> program.socket().close());
    try {
      listener.close();
    } catch (IOException e) {
      log.error("the control socket", e);
    }
    wake.close();
  }
}
