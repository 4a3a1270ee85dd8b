package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.rddp.client.types.Reason;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.sending.SendTenant;
import org.rddp.device.CaptureSink;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.Acceptor;
import org.rddp.tcp.TcpListener;
import org.rddp.tcp.TcpStack;

/**
 * The duty cycle of one port: its frames, the rings of its programs, its timers, and commands from
 * other threads.
 *
 * <p>One thread calls {@link #turn}; any thread may call {@link #execute}. Work in a turn is
 * bounded, so that no connection or program delays the others.
 */
public final class Engine {
  /** Requests taken from one session in a turn. */
  private static final int REQUESTS = 64;

  /** Segments built in a turn. */
  private static final int SEGMENTS = 64;

  /** Timers and commands are served in every turn without messages, and every so many others. */
  private static final int TURNS_BETWEEN_TIMERS = 16;

  /** Time in ns between two looks at the processor of the thread, which programs are told. */
  private static final long LOOKS = TimeUnit.MICROSECONDS.toNanos(20);

  /** Commands carried out in a turn. */
  private static final int COMMANDS = 16;

  private final String name;
  private final RdmapSettings rdmapSettings;
  private final InterfaceAddress address;
  private final FaultHandler faults;
  private final EngineCounters counters = new EngineCounters();
  private final EngineTimes times = new EngineTimes();
  private final EngineEvents events;
  private final ManyToOneConcurrentLinkedQueue<Runnable> commands =
      new ManyToOneConcurrentLinkedQueue<>();
  private final List<Session> sessions = new ArrayList<>();

  /** Replaced on restart; volatile for counter readers. */
  private volatile TcpStack tcp;

  private volatile DdpEngine ddp;

  private Deadlines deadlines;

  private RequestPrefetch prefetch;

  private PendingStartups<PendingStartup> startups;

  /** The numbers of the interface's queue pairs; null where there are none. */
  private QueuePairNumbers queuePairs;

  /** Null if there is no queue-pair-port. */
  private Introducer introducer;

  /** The octet streams; null where there are none. */
  private EngineStreams streams;

  /** Who share what it sends; null if nobody does. */
  private InterfaceTenants shares;

  /** Those on this engine since it has begun; null likewise. */
  private volatile EngineTenants tenants;

  /** Makes new parts for a restart; null if the engine cannot restart. */
  private EngineParts parts;

  /** Decides what follows failed turns. */
  private final FailedTurns failedTurns = new FailedTurns();

  /** Gets frames to the own address; null if they are not captured. */
  private CaptureSink capture;

  private boolean plain;

  /** The connection that is traced, or null. */
  private SessionConnection traced;

  private int busyTurns;

  /** When it last looked at the processor of its thread. */
  private long lookedAt;

  private boolean closing;

  /** The sleep of the engine's thread. */
  private EngineSleep sleep = EngineSleep.NEVER;

  /**
   * Creates an engine, which does nothing before {@link #turn}.
   *
   * @param name of its interface
   * @param address of the interface
   * @param rdmapSettings of every connection
   * @param faults takes errors; called on the engine's thread
   */
  public Engine(
      String name,
      InterfaceAddress address,
      TcpStack tcp,
      DdpEngine ddp,
      RdmapSettings rdmapSettings,
      FaultHandler faults) {
    this.name = name;
    this.address = address;
    this.rdmapSettings = rdmapSettings;
    this.faults = faults;
    this.events = new EngineEvents(name);
    take(tcp, ddp);
  }

  /** Sets a stack and a DDP engine without connections. */
  private void take(TcpStack stack, DdpEngine ddpEngine) {
    stack.reportFailuresTo(failure -> fault("connection", failure));
    stack.reportNeighboursTo(this::report);
    stack.reportTimeoutsTo(events::timedOut);
    prefetch = new RequestPrefetch(stack, REQUESTS);
    tcp = stack;
    ddp = ddpEngine;
    deadlines = new Deadlines();
    startups = new PendingStartups<>(rdmapSettings.mpa().startups());
    counters.startupsPending = 0;
    tenants = shares == null ? null : new EngineTenants(shares, ddpEngine);
    introduce();
    if (streams != null) {
      streams.open();
    }
  }

  /**
   * Takes connections of peers' queue pairs. Before the first turn.
   *
   * @param numbers of the interface's queue pairs
   */
  public void introduceTo(QueuePairNumbers numbers) {
    queuePairs = numbers;
    introduce();
  }

  private void introduce() {
    if (queuePairs != null && queuePairs.port() != 0) {
      introducer = new Introducer(this, queuePairs);
      introducer.open();
    }
  }

  /**
   * Serves octet streams. Before the first turn.
   *
   * @param ports where programs listen
   * @param port the interface's sockets-port; 0: nobody reaches them
   * @param keeper does what the engine must not
   * @throws SystemCallException if no descriptor is left
   */
  public void serveStreams(StreamPorts ports, int port, StreamKeeper keeper)
      throws SystemCallException {
    streams = new EngineStreams(this, ports, port, keeper);
    streams.open();
  }

  /** Shares what it sends among the tenants of its interface. Before the first turn. */
  public void shareAmong(InterfaceTenants all) {
    shares = all;
    tenants = new EngineTenants(all, ddp);
  }

  /** The tenants that share what it sends; null where there are none. Any thread. */
  public EngineTenants tenants() {
    return tenants;
  }

  /** Lets a stream of a user that has not begun send as the user's tenant, if there are any. */
  void own(DdpStream stream, int user) {
    if (shares != null) {
      tenants.own(stream, user);
    }
  }

  /** The sessions that it serves. */
  List<Session> sessions() {
    return sessions;
  }

  /** The octet streams; null where there are none. */
  public EngineStreams streams() {
    return streams;
  }

  /** The numbers of the interface's queue pairs; null where there are none. */
  QueuePairNumbers queuePairs() {
    return queuePairs;
  }

  /** Takes connections of peers' queue pairs; null if there is no queue-pair-port. */
  Introducer introducer() {
    return introducer;
  }

  /** Enables restarts after repeatedly failed turns. Call before the first turn. */
  public void restartWith(EngineParts source) {
    parts = source;
  }

  /**
   * Handles a failed turn: an exception may have left part of it undone. After many in a row the
   * engine restarts without its sessions, so that only these are lost. Engine thread only.
   *
   * @param now the time in nanoseconds of the turn
   * @return false if it cannot go on
   */
  public boolean turnFailed(Throwable cause, long now) {
    fault("turn", cause);
    FailedTurns.Verdict verdict = failedTurns.failed(now);
    if (verdict == FailedTurns.Verdict.RESTART && parts != null) {
      restart(cause, now);
      return true;
    }
    return verdict == FailedTurns.Verdict.GO_ON;
  }

  /** Resets the failure count. */
  void turnSucceeded() {
    failedTurns.succeeded();
  }

  private void restart(Throwable cause, long now) {
    counters.restarts++;
    faults.onRestart(name, sessions.size(), cause);
    traced = null;
    for (Session session : sessions) {
      session.fail("its engine " + name + " has failed and begins anew: " + cause);
      attempt("session", session::end);
    }
    sessions.clear();
    if (streams != null) {
      attempt("octet streams", streams::abandon);
    }
    attempt("stack", tcp::close);
    take(parts.tcp(now), parts.ddp());
    capture(capture, plain);
    tcp.announce(now);
  }

  /** Ends a part that may be broken and is not used afterwards. */
  private void attempt(String what, Runnable end) {
    try {
      end.run();
    } catch (RuntimeException | Error e) {
      fault(what + " that ends with its engine", e);
    }
  }

  /**
   * Passes frames to the own address, which the device does not see, to a sink. Engine thread only.
   *
   * @param sink receives each frame once; null to stop
   * @param inClear whether it also receives what is sealed and opened, in clear
   */
  public void capture(CaptureSink sink, boolean inClear) {
    capture = sink;
    plain = inClear;
    tcp.captureLooped(sink);
    tcp.capturePlain(inClear ? sink : null);
  }

  /**
   * One turn of the duty cycle.
   *
   * @param now in nanoseconds, never less than before
   * @return amount of work done; 0: there was nothing to do
   */
  public int turn(long now) {
    times.beginTurn(now);
    if (counters.turns == 0) {
      tcp.announce(now);
    }
    int work = tcp.receive(now);
    for (int i = 0; i < sessions.size(); i++) {
      work += take(sessions.get(i));
    }
    if (streams != null) {
      work += streams.take();
    }
    work += send(now);
    work += tcp.transmit(now);
    for (int i = 0; i < sessions.size(); i++) {
      flush(sessions.get(i));
    }
    if (streams != null) {
      work += streams.flush(now);
    }
    if (work == 0 || ++busyTurns == TURNS_BETWEEN_TIMERS) {
      busyTurns = 0;
      work += serveTimersAndCommands(now);
    }
    counters.turns++;
    if (work == 0) {
      counters.idleTurns++;
    } else {
      times.worked();
    }
    return work;
  }

  /**
   * Sends what programs have posted. What the device has not taken yet leaves first: tenants would
   * share a long queue in front of it by what they have there, and messages would wait for it.
   */
  private int send(long now) {
    return shares != null && tcp.hasUnsentFrames() ? 0 : ddp.send(SEGMENTS, now);
  }

  /** Serves timers and commands, which can wait a few turns while there are messages. */
  private int serveTimersAndCommands(long now) {
    int work = tcp.advance(now);
    work += runCommands();
    deadlines.expire(now);
    if (now - lookedAt >= LOOKS) {
      lookedAt = now;
      tellProcessor(ThreadScheduling.currentProcessor());
    }
    return work;
  }

  private void tellProcessor(int processor) {
    for (int i = 0; i < sessions.size(); i++) {
      sessions.get(i).runsOn(processor);
    }
    if (streams != null) {
      streams.runsOn(processor);
    }
  }

  /** Adds a peer that has connected and must send its MPA Request. May end another's connection. */
  void beginStartup(HostAddress address, PendingStartup connection) {
    PendingStartup evicted = startups.add(address, connection);
    if (evicted == null && startups.size() > 1 && tcp.isNearlyFull()) {
      // TCP accepts no peer when its connections are used up, so evict startups before.
      evicted = startups.evict();
    }
    if (evicted != null) {
      counters.startupsEvicted++;
      evicted.abortSilently();
    }
    counters.startupsPending = startups.size();
  }

  /** Removes a peer whose MPA Request has arrived, or will never arrive. */
  void endStartup(HostAddress address, PendingStartup connection) {
    startups.remove(address, connection);
    counters.startupsPending = startups.size();
  }

  private int take(Session session) {
    try {
      return session.intake().take(REQUESTS);
    } catch (RuntimeException | Error e) {
      failed(session, e);
      return 1;
    }
  }

  private void flush(Session session) {
    try {
      session.flush();
    } catch (RuntimeException | Error e) {
      failed(session, e);
    }
  }

  private void failed(Session session, Throwable cause) {
    fault("session", cause);
    session.fail("internal error: " + cause);
  }

  private int runCommands() {
    int done = 0;
    while (done < COMMANDS) {
      Runnable command = commands.poll();
      if (command == null) {
        break;
      }
      done++;
      try {
        command.run();
      } catch (RuntimeException | Error e) {
        fault("command", e);
      }
    }
    return done;
  }

  void fault(String where, Throwable cause) {
    counters.faults++;
    faults.onFault(name + ": " + where, cause);
  }

  void report(String detail) {
    faults.onRefused(name + ": " + detail);
  }

  void report(ConnectionFailure failure) {
    faults.onConnectionFailed(failure);
  }

  /** Runs a command on the engine's thread, in one of the next turns. Any thread may call this. */
  public void execute(Runnable command) {
    commands.add(command);
    sleep.wake();
  }

  /** Sets the sleep of the engine's thread. Call before the first turn and command. */
  void sleepBy(EngineSleep sleep) {
    this.sleep = sleep;
    if (streams != null) {
      sleep.add(streams.events().descriptor());
    }
  }

  /** The sleep of the engine's thread. */
  public EngineSleep sleep() {
    return sleep;
  }

  /** Whether frames wait for the device, which does not wake the thread when it takes them. */
  boolean hasUnsentFrames() {
    return tcp.hasUnsentFrames();
  }

  /** The earliest time at which a timer is due; {@link Long#MAX_VALUE} for none. */
  long nextDeadline() {
    long next = Math.min(tcp.nextDeadline(), deadlines.next());
    // While frames wait for the device nothing is sent, whatever the rates allow.
    next = tcp.hasUnsentFrames() ? next : Math.min(next, ddp.nextDeadline());
    return streams == null ? next : Math.min(next, streams.nextDeadline());
  }

  /** Starts to serve a session. Engine thread only. */
  public void begin(Session session) {
    if (session.isOf(ddp)) {
      session.shareHeldMemory(sessions);
      sessions.add(session);
    } else {
      session.fail("its engine " + name + " has begun anew");
    }
  }

  /** Ends a session at once and for good. Engine thread only. */
  public void end(Session session) {
    sessions.remove(session);
    if (session.isOf(ddp)) {
      session.end();
    }
  }

  /**
   * Stops listening, closes every connection of every session gracefully, and opens no further
   * ones. Engine thread only.
   */
  public void closeGracefully() {
    closing = true;
    sessions.forEach(Session::closeGracefully);
    if (streams != null) {
      streams.closeGracefully();
    }
  }

  /** Whether all connections are being closed, so that no new ones are opened. */
  boolean isClosing() {
    return closing;
  }

  /** Connections of all sessions that have not ended. Engine thread only. */
  public int connectionCount() {
    int count = 0;
    for (Session session : sessions) {
      count += session.connectionCount();
    }
    return streams == null ? count : count + streams.closing();
  }

  /**
   * Finds a connection of any session by its number. Engine thread only.
   *
   * @param process id of the process whose connection it is; 0: any
   * @throws RequestRefusedException if there is none, or several sessions have the number
   */
  public ConnectionEnds find(int number, int process) throws RequestRefusedException {
    return connection(number, process).ends();
  }

  /**
   * Starts to write the events of a connection of any session into a sink, each as a frame; see
   * {@link org.rddp.ipc.ring.TraceEvent}. Engine thread only.
   *
   * @param process id of the process whose connection it is; 0: any
   * @throws RequestRefusedException if there is none, or several sessions have the number
   */
  public void trace(int number, int process, CaptureSink sink) throws RequestRefusedException {
    endTrace();
    traced = connection(number, process);
    traceOn(sink);
  }

  /**
   * Goes on with the trace that another engine has begun, if its connection is there. Before the
   * first turn.
   */
  public void traceOn(CaptureSink sink) {
    if (traced == null || traced.tcp() == null) {
      return;
    }
    ConnectionTrace trace = new ConnectionTrace(sink);
    tcp.trace(traced.tcp(), trace);
    traced.trace(trace);
  }

  /** Ends the trace, if there is one. Engine thread only. */
  public void endTrace() {
    if (traced != null) {
      tcp.endTrace();
      traced.trace(null);
      traced = null;
    }
  }

  private SessionConnection connection(int number, int process) throws RequestRefusedException {
    SessionConnection found = null;
    for (Session session : sessions) {
      if (process == 0 || session.owner().process() == process) {
        SessionConnection connection = session.connection(number);
        if (connection != null && found != null) {
          throw new RequestRefusedException(
              Reason.INVALID,
              "several programs have a connection %08x: name the process, too".formatted(number));
        }
        found = connection == null ? found : connection;
      }
    }
    if (found == null) {
      throw new RequestRefusedException(
          Reason.NOT_FOUND, "%s has no connection %08x".formatted(name, number));
    }
    if (found.tcp() == null) {
      throw new RequestRefusedException(
          Reason.STATE, "connection %08x waits for the peer of its queue pair".formatted(number));
    }
    return found;
  }

  // ---- It goes on as another engine ----

  /**
   * Transfers what is not of its sessions or its parts.
   *
   * @return the tenants that are written, or in whose place the reader has these
   */
  List<SendTenant> transfer(Snapshot snapshot) {
    snapshot.begin(Engine.class);
    snapshot.counters(counters);
    busyTurns = snapshot.number("busyTurns", busyTurns, 0, TURNS_BETWEEN_TIMERS - 1);
    closing = snapshot.flag("closing", closing);
    List<SendTenant> written = EngineTenants.transfer(snapshot, tenants);
    snapshot.end();
    return written;
  }

  /** Transfers which connection is traced. */
  void transferTraced(Snapshot snapshot, References<SessionConnection> connections) {
    snapshot.begin(Engine.class);
    traced = connections.transfer(snapshot, "traced", traced, null);
    snapshot.end();
  }

  /** Transfers which deadlines are set, and which peers must send their Request. */
  void transferOrder(
      Snapshot snapshot, References<Deadline> deadlines, References<PendingStartup> startups) {
    snapshot.begin(Engine.class);
    this.deadlines.transfer(snapshot, deadlines);
    this.startups.transfer(snapshot, startups);
    snapshot.end();
  }

  /** Ends every session and the TCP stack. Engine thread only, last. */
  public void close() {
    List.copyOf(sessions).forEach(this::end);
    if (streams != null) {
      streams.close();
    }
    tcp.close();
  }

  /**
   * Leaves its connections to another engine, which has taken its state, without a word to programs
   * and peers. Engine thread only, last.
   */
  void retire() {
    tcp.retire();
  }

  /** Whether commands of other threads wait. While it makes no turn. */
  public boolean hasCommands() {
    return !commands.isEmpty();
  }

  /** Listens at a port of the interface, or goes on listening there after a snapshot was read. */
  void listenAlways(int port, Acceptor acceptor) {
    TcpListener restored = tcp.listener(port);
    if (restored == null) {
      tcp.listenShared(port, acceptor);
    } else {
      restored.resume(acceptor);
    }
  }

  /** The interface's name. */
  public String name() {
    return name;
  }

  /** The interface's address. */
  public InterfaceAddress address() {
    return address;
  }

  /** Counters of this engine. */
  public EngineCounters counters() {
    return counters;
  }

  /** How long its turns and requests take. */
  public EngineTimes times() {
    return times;
  }

  /** The DDP engine, for its counters. */
  public DdpEngine ddp() {
    return ddp;
  }

  /** Prefetches for the requests of its sessions. */
  RequestPrefetch prefetch() {
    return prefetch;
  }

  /** The TCP stack, for its counters. */
  public TcpStack tcp() {
    return tcp;
  }

  /** Its events for Flight Recorder. */
  EngineEvents events() {
    return events;
  }

  /** The deadlines of its connections. */
  Deadlines deadlines() {
    return deadlines;
  }

  RdmapSettings rdmapSettings() {
    return rdmapSettings;
  }
}
