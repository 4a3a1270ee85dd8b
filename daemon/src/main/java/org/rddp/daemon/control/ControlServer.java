package org.rddp.daemon.control;

import java.io.IOException;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.EngineThread;
import org.rddp.daemon.engine.FaultHandler;
import org.rddp.daemon.engine.HeapShare;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.log.DaemonEvents;
import org.rddp.daemon.log.DaemonLog;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.control.ThreadEnd;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.TimeSlice;

/**
 * The control thread: accepts programs, handles their requests and ends, and runs timers and tasks
 * from the engines.
 */
public final class ControlServer implements AutoCloseable {
  /** Longest wait in ns, at the daemon's end, for threads that programs block. */
  private static final long END_TIMEOUT = TimeUnit.SECONDS.toNanos(1);

  /** Time in ns within which a program must send Hello and share the rings. */
  private static final long HELLO_TIMEOUT = TimeUnit.SECONDS.toNanos(5);

  /** Interval in ns at which that is checked. */
  private static final long CHECK_PERIOD = TimeUnit.SECONDS.toNanos(1);

  /** Rest in ns after a failed turn, so that a lasting failure does not take a whole core. */
  private static final long FAILURE_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  private final InterfaceEngines interfaces;
  private final ReservedPorts reservedPorts;
  private Limits limits;
  private final Permissions permissions;
  private final Statistics statistics;
  private final DaemonEvents events;
  private final EventFd wake;
  private final ResourceShares shares;
  private final MappingThreads mappingThreads;
  private final AdoptedFiles adoptedFiles = new AdoptedFiles();
  private final ControlTasks tasks;
  private final FaultLog faults;
  private final ProgramAdmission admission;
  private final HeapAlarm heapAlarm;
  private final List<EspAlarm> espAlarms;
  private final ControlTimers timers = new ControlTimers();
  private final Set<ProgramSession> programs = new LinkedHashSet<>();
  private final Set<ProgramSession> ending = new LinkedHashSet<>();
  private final Map<String, ProgramSession> captures = new HashMap<>();
  private final Map<String, ProgramSession> traces = new HashMap<>();

  /** The programs whose links have not ended, including those that are ending or have ended. */
  private final Set<ProgramSession> linked = new LinkedHashSet<>();

  private final SlowUsers slowUsers = new SlowUsers();

  private final StreamService streams;
  private final ProgramHandOver handOver;
  private volatile EngineWatches watches = EngineWatches.NONE;
  private final Thread thread = new Thread(this::run, "rddp-control");
  private volatile boolean running = true;
  private volatile boolean accepting = true;

  /** Whether another daemon has the programs. */
  private volatile boolean left;

  /**
   * Creates a server, not started.
   *
   * @param users ids of the users who may connect besides root and the daemon's own user; empty:
   *     all users that the socket's mode admits
   * @param heap programs' share of the heap
   */
  public ControlServer(
      ControlListener listener,
      List<InterfaceEngine> ports,
      ReservedPorts reservedPorts,
      Limits limits,
      Set<Integer> users,
      HeapShare heap,
      Statistics statistics,
      DaemonEvents events)
      throws SystemCallException {
    this.interfaces = new InterfaceEngines(ports);
    this.reservedPorts = reservedPorts;
    this.limits = limits;
    this.permissions = new Permissions(users);
    this.statistics = statistics;
    this.events = events;
    this.wake = EventFd.create();
    this.tasks = new ControlTasks(wake);
    this.faults = new FaultLog(tasks, events);
    this.heapAlarm = new HeapAlarm(heap, events);
    this.espAlarms = EspAlarm.ofAll(ports, statistics, events);
    this.shares = new ResourceShares(limits, heap);
    this.admission = new ProgramAdmission(this, listener, shares, limits);
    this.mappingThreads = MappingThreads.start(this::execute, this::reportUnlockedMemory);
    this.streams = new StreamService(this, ports);
    this.handOver = new ProgramHandOver(this, admission);
  }

  /** Starts the control thread. */
  public void start() {
    // Fill the counters before a program reads them.
    refreshStatistics();
    timers.atMultipleOf(CHECK_PERIOD, this::endSilentPrograms);
    timers.atMultipleOf(DaemonLog.PERIOD, this::countLeftOut);
    String warning = SharedHugePages.warning(SharedHugePages.SETTING);
    if (!warning.isEmpty()) {
      events.info(warning);
    }
    if (!canBeImmutable()) {
      events.info(
          "programs copy their memory when this daemon has ended, and none can take its place while"
              + " they run, since memory cannot be immutable: that needs CAP_LINUX_IMMUTABLE outside"
              + " of a user namespace, and Linux 6.0");
    }
    // Those of another daemon.
    for (ProgramSession each : programs) {
      events.session(each.logFields(), "the session goes on in this process");
      each.link().start();
    }
    execute(streams::goOn);
    thread.start();
  }

  private static boolean canBeImmutable() {
    try {
      return SharedMemory.canBeImmutable();
    } catch (SystemCallException e) {
      // No descriptor is left, for example: it may be so later.
      return true;
    }
  }

  /** Ends programs that have not begun a session in time. One timer serves all programs. */
  private void endSilentPrograms() {
    long now = System.nanoTime();
    for (ProgramSession program : List.copyOf(programs)) {
      if (!program.hasBegun()
          && !program.isSharingRings()
          && now - program.connectedAt() > HELLO_TIMEOUT) {
        program.end("it did not send Hello and share the rings in time", null);
      }
    }
    timers.atMultipleOf(CHECK_PERIOD, this::endSilentPrograms);
  }

  private void countLeftOut() {
    faults.countLeftOut();
    events.countLeftOut();
    timers.atMultipleOf(DaemonLog.PERIOD, this::countLeftOut);
  }

  private void reportUnlockedMemory() {
    events.warn(
        "programs' memory is not locked: RLIMIT_MEMLOCK does not allow it. Where there is swap, an"
            + " engine may have to wait for it");
  }

  private void refreshStatistics() {
    heapAlarm.check();
    espAlarms.forEach(EspAlarm::check);
    long period =
        statistics.refresh(shares.whole().sessions().used(), shares.whole().memory().used());
    timers.atMultipleOf(period, this::refreshStatistics);
  }

  /**
   * Raises an alarm in the log whenever an engine's thread stalls, and ends its sessions when it is
   * stuck.
   *
   * @param threads that have been started
   * @param stuckTimeout time in ns without a turn after which a thread is stuck
   * @return one watch for each of them
   */
  public List<EngineWatch> watch(List<EngineThread> threads, long stuckTimeout) {
    List<EngineWatch> created =
        threads.stream().map(thread -> new EngineWatch(thread, stuckTimeout, events)).toList();
    execute(() -> {
      watches = new EngineWatches(created);
      look();
    });
    return created;
  }

  private void look() {
    timers.atMultipleOf(EngineWatch.PERIOD, this::look);
    watches.look().forEach(this::abandonSessions);
    List.copyOf(programs).forEach(each -> each.requests().list().answerForStalledEngine());
  }

  private void abandonSessions(EngineWatch watch) {
    List<ProgramSession> served =
        programs.stream()
            .filter(each -> each.hasSession() && watch.isStuck(each.daemonInterface().engine()))
            .toList();
    events.warn(
        "ALARM: %s is stuck; its sessions end (%d)".formatted(watch.description(), served.size()));
    served.forEach(each -> run(() -> each.abandon(watch.description() + " is stuck")));
    interfaces.all().stream()
        .filter(each -> watch.isStuck(each.engine()))
        .forEach(each -> streams.abandon(each.engine()));
  }

  EngineWatches watches() {
    return watches;
  }

  // ---- The loop ----

  private void run() {
    TimeSlice.shorten();
    PollSet poll = new PollSet();
    List<ProgramSession> polled = new ArrayList<>();
    while (running) {
      try {
        runOnce(poll, polled);
      } catch (IOException | RuntimeException | Error e) {
        report("the control thread", e);
        LockSupport.parkNanos(FAILURE_PAUSE);
      }
    }
  }

  /** Logs an internal error; the thread goes on even if that fails. */
  void report(String where, Throwable cause) {
    try {
      events.fault(where, cause);
    } catch (RuntimeException | Error e) {
      // The log itself has failed.
    }
  }

  private void runOnce(PollSet poll, List<ProgramSession> polled) throws IOException {
    poll.clear();
    polled.clear();
    int wakeKey = poll.add(wake.descriptor());
    boolean accepts = accepting && admission.isOpen();
    int listenerKey = accepts ? poll.add(admission.descriptor()) : PollSet.NONE;
    boolean retries = accepts && admission.hasAccepted();
    int listenersKey = poll.add(streams.watched().descriptor());
    polled.addAll(programs);
    polled.forEach(program -> program.poll(poll));
    poll.await(retries || !tasks.isEmpty() ? 0 : timers.untilNext());
    if (poll.isReady(wakeKey)) {
      wake.clear();
    }
    for (ProgramSession program : polled) {
      if (program.hasProcessEnded(poll)) {
        program.endInOrder("its process has ended");
      }
    }
    if (poll.isReady(listenersKey)) {
      streams.watched().endLeft();
    }
    if (retries || poll.isReady(listenerKey)) {
      admission.acceptPrograms();
    }
    tasks.run(this::run);
    timers.run(this::run);
    programs.forEach(ProgramSession::readOn);
  }

  /** Whether only sessions of stuck engines are ending, which may never end. */
  boolean isNobodyEnding() {
    return ending.stream()
        .allMatch(each -> each.hasSession() && watches.isStuck(each.daemonInterface()));
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      report("the control thread", e);
    }
  }

  // ---- For programs and engines ----

  /** Runs a task on the control thread. Any thread may call this. */
  public void execute(Runnable task) {
    tasks.add(task);
  }

  boolean isOnItsThread() {
    return Thread.currentThread().equals(thread);
  }

  /** Runs a task on the control thread after a delay in ns. Control thread only. */
  void after(long nanos, Runnable task) {
    timers.after(nanos, task);
  }

  /** Logs a line about the daemon itself. Any thread may call this. */
  public void note(String line) {
    execute(() -> events.info(line));
  }

  /** Logs faults of other threads. Any thread may call it. */
  public FaultHandler faults() {
    return faults;
  }

  Permissions permissions() {
    return permissions;
  }

  /**
   * Refuses a port at which another process listens. Sessions of one process on different engines
   * may listen at the same port: each gets the connections that its engine receives.
   */
  void checkPort(ProgramSession program, int port) throws RequestRefusedException {
    for (ProgramSession other : programs) {
      if (port != 0
          && other.requests().listeners().claims(port)
          && other.daemonInterface().name().equals(program.daemonInterface().name())
          && !other.process().isSameProcess(program.process())) {
        throw new RequestRefusedException(
            Reason.ADDRESS_IN_USE, "port %d is in use by another process".formatted(port));
      }
    }
  }

  /** The ports that no program may use. */
  ReservedPorts reservedPorts() {
    return reservedPorts;
  }

  /** The interfaces. */
  InterfaceEngines interfaces() {
    return interfaces;
  }

  /** Sessions of an engine. */
  long sessions(InterfaceEngine engine) {
    return programs.stream().filter(each -> engine.equals(each.daemonInterface())).count();
  }

  /** The first program from a number on that the viewer may see; null if there is none. */
  ProgramSession visible(PeerCredentials viewer, int fromNumber) {
    for (ProgramSession program : programs) {
      if (program.number() >= fromNumber && permissions.maySee(viewer, program.socket().peer())) {
        return program;
      }
    }
    return null;
  }

  Limits limits() {
    return limits;
  }

  AdoptedFiles adoptedFiles() {
    return adoptedFiles;
  }

  MappingThreads mappingThreads() {
    return mappingThreads;
  }

  SlowUsers slowUsers() {
    return slowUsers;
  }

  DaemonEvents events() {
    return events;
  }

  /** The programs that capture, by interface. */
  Map<String, ProgramSession> captures() {
    return captures;
  }

  /** The programs that trace a connection, by interface. */
  Map<String, ProgramSession> traces() {
    return traces;
  }

  Descriptor countersDescriptor() {
    return statistics.descriptor();
  }

  /** The connected programs, the oldest first. */
  Set<ProgramSession> programs() {
    return programs;
  }

  /** Adds a program that has been admitted. */
  void onAdmitted(ProgramSession program) {
    programs.add(program);
    linked.add(program);
  }

  void onEnding(ProgramSession program) {
    programs.remove(program);
    ending.add(program);
  }

  /** Handles the end of a program of which all but its session and its sockets is freed. */
  void onEnded(ProgramSession program) {
    ending.remove(program);
  }

  /** Removes a program whose link has ended. */
  void onGone(ProgramSession program) {
    linked.remove(program);
    leave(program);
    admission.resume();
  }

  /** Gives back the shares of a program that has left, or could not be served. */
  void leave(ProgramSession program) {
    program.leave();
    shares.leave(program.process());
  }

  StreamService streams() {
    return streams;
  }

  /**
   * Keeps the shares of a program's process beyond the program's end, until {@link #leaveShares}.
   */
  Resources joinShares(PeerCredentials process) {
    return shares.join(process);
  }

  /** Gives them back. */
  void leaveShares(PeerCredentials process) {
    shares.leave(process);
  }

  /**
   * Changes permissions and limits; existing sessions keep what they have. Any thread may call
   * this.
   *
   * @param users as in the constructor
   * @param permissionBits mode of the control socket
   * @param group id of the control socket's group; empty: it stays
   */
  public void reconfigure(
      Limits newLimits,
      Set<Integer> users,
      Set<PosixFilePermission> permissionBits,
      OptionalInt group) {
    execute(() -> {
      limits = newLimits;
      shares.limit(newLimits);
      admission.limit(newLimits);
      permissions.users(users);
      try {
        admission.permit(permissionBits, group);
      } catch (IOException e) {
        events.info("the control socket stays as it is: " + e.getMessage());
      }
    });
  }

  // ---- Another daemon takes this one's place ----

  /** The control socket, for the other daemon. */
  public Descriptor socket() {
    return admission.descriptor();
  }

  /** Lets programs that connect wait, or serves them again. Any thread may call this. */
  public void accept(boolean accepts) {
    accepting = accepts;
    wake.signal();
  }

  /** Lets another daemon go on with the sessions. */
  public ProgramHandOver handOver() {
    return handOver;
  }

  /** Whether tasks wait for the control thread, while it pauses. */
  boolean hasTasks() {
    return !tasks.isEmpty();
  }

  /** The programs whose sessions are ending. */
  Set<ProgramSession> ending() {
    return ending;
  }

  /**
   * Leaves the programs and the control socket's path to another daemon, while all pauses; {@link
   * #close} follows.
   */
  public void leave() {
    left = true;
    accept(false);
    handOver.leave();
    admission.leave();
  }

  // ---- The end ----

  /** Stops accepting programs and removes the socket from the file system. */
  public void stopAccepting() {
    accepting = false;
    execute(admission::close);
  }

  /**
   * Ends every session, and waits until all but those of stuck engines have ended, or for the
   * timeout.
   */
  public void endSessions(long timeoutNanos) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    execute(() -> {
      List.copyOf(programs).forEach(program -> program.endInOrder("the daemon stops"));
      countDownWhenGone(done);
    });
    done.await(timeoutNanos, TimeUnit.NANOSECONDS);
  }

  private void countDownWhenGone(CountDownLatch done) {
    if (isNobodyEnding()) {
      done.countDown();
    } else {
      after(TimeUnit.MILLISECONDS.toNanos(1), () -> countDownWhenGone(done));
    }
  }

  /**
   * Stops the control thread and closes the sockets of programs whose sessions have not ended.
   * Waits for programs no longer than a second in all.
   */
  @Override
  public void close() {
    running = false;
    wake.signal();
    handOver.endPauses();
    ThreadEnd.await(thread);
    admission.close();
    linked.forEach(program -> program.link().stop());
    boolean ended = awaitLinks();
    streams.close();
    if (left) {
      mappingThreads.unmapAll();
    }
    mappingThreads.close();
    admission.release();
    if (ended) {
      wake.close();
    }
  }

  /** Whether all threads that use this server have ended; programs can block them. */
  private boolean awaitLinks() {
    long deadline = System.nanoTime() + END_TIMEOUT;
    try {
      boolean ended = admission.awaitRefused(END_TIMEOUT);
      for (ProgramSession program : linked) {
        if (program.link().awaitEnd(deadline - System.nanoTime())) {
          program.link().release();
        } else {
          ended = false;
        }
      }
      return ended;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
