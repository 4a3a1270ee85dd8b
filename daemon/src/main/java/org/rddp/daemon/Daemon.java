package org.rddp.daemon;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.rddp.crc.Crc32c;
import org.rddp.daemon.configuration.Changes;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ControlConfiguration;
import org.rddp.daemon.configuration.EngineThreads;
import org.rddp.daemon.configuration.IdleMode;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.configuration.TenantConfiguration;
import org.rddp.daemon.control.ControlServer;
import org.rddp.daemon.control.EngineWatch;
import org.rddp.daemon.control.HandedDescriptors;
import org.rddp.daemon.control.PublishedValue;
import org.rddp.daemon.control.ReservedPorts;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineSleep;
import org.rddp.daemon.engine.EngineThread;
import org.rddp.daemon.engine.HeapShare;
import org.rddp.daemon.log.DaemonEvents;
import org.rddp.daemon.log.DaemonLog;
import org.rddp.daemon.metrics.DaemonMetrics;
import org.rddp.daemon.metrics.Health;
import org.rddp.daemon.metrics.MetricsServer;
import org.rddp.daemon.replacement.Replacements;
import org.rddp.dpdk.device.DpdkDevice;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotReader;

/**
 * {@code rddpd}: one or several engines for each interface, and the control server for programs.
 */
public final class Daemon implements AutoCloseable {
  /** What is published of the heap that programs share. */
  static final List<PublishedValue<HeapShare>> HEAP =
      List.of(
          PublishedValue.gauge(
              "heap_limit_bytes",
              "Octets of heap that sessions and connections may take.",
              HeapShare::limit),
          PublishedValue.gauge(
              "heap_taken_bytes",
              "Octets of heap that sessions and connections may need at the most.",
              HeapShare::used),
          PublishedValue.counter(
              "heap_refused",
              "Sessions and connections refused because heap was used up.",
              HeapShare::refused));

  /** Longest time in ns that one step of an end may take. */
  static final long END_TIMEOUT = TimeUnit.SECONDS.toNanos(5);

  private volatile Configuration configuration;
  private final Ports ports;
  private final Interfaces interfaces;
  private final DaemonEvents events;
  private final List<EngineThread> threads = new ArrayList<>();
  private final ControlServer control;
  private final SdNotifier notifier;
  private Watchdog watchdog;

  /** Null if metrics are off, or not served yet. */
  private MetricsServer metrics;

  /** Lets other daemons take this one's place; null if they cannot. */
  private Replacements replacements;

  /** Whether another daemon has this one's place. */
  private volatile boolean left;

  private Health health;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Throwable lost;
  private final AtomicReference<Runnable> rehearsal = new AtomicReference<>(() -> {});

  private boolean closed;

  /**
   * Makes a daemon that does nothing before {@link #startEngines}.
   *
   * @param listener the caller closes it if this fails
   * @param interfaces of the configuration, {@linkplain Interfaces#introduce introduced}; the
   *     caller discards them if this fails
   * @param ports one device for each engine; the caller closes them if this fails
   * @param events the log, closed with the daemon
   * @param notifier of the service manager, if there is one
   */
  Daemon(
      Configuration configuration,
      ControlListener listener,
      Interfaces interfaces,
      Ports ports,
      DaemonEvents events,
      SdNotifier notifier)
      throws IOException {
    this.configuration = configuration;
    this.interfaces = interfaces;
    this.ports = ports;
    this.events = events;
    this.notifier = notifier;
    control =
        new ControlServer(
            listener,
            interfaces.named(),
            ReservedPorts.of(configuration.interfaces()),
            configuration.limits(),
            Set.copyOf(configuration.control().users()),
            heap(),
            interfaces.statistics(),
            events);
    interfaces.faults().forwardTo(control.faults());
    makeThreads();
  }

  /**
   * Creates the control socket, at which programs wait until the daemon is started. Call it before
   * touching a device: a second daemon for the same socket fails here.
   *
   * @throws IOException if the control socket cannot be created
   */
  public static ControlListener bind(Configuration configuration) throws IOException {
    ControlListener listener =
        ControlListener.bind(
            configuration.controlSocket(),
            permissions(configuration),
            configuration.control().group());
    listener.forbidDescriptors();
    return listener;
  }

  /**
   * Starts a daemon.
   *
   * @param ports one device for each interface; closed with the daemon, or if the start fails
   * @param out receives the log
   * @throws IOException if the control socket cannot be created
   */
  public static Daemon start(Configuration configuration, Ports ports, PrintStream out)
      throws IOException {
    ControlListener listener;
    try {
      listener = bind(configuration);
    } catch (IOException | RuntimeException e) {
      ports.close();
      throw e;
    }
    return start(configuration, listener, ports, out);
  }

  /**
   * Starts a daemon whose control socket exists.
   *
   * @param listener of {@link #bind}; closed with the daemon, or if the start fails
   * @param ports one device for each interface; closed with the daemon, or if the start fails
   * @param out receives the log
   * @throws IOException if the control thread cannot be created
   */
  public static Daemon start(
      Configuration configuration, ControlListener listener, Ports ports, PrintStream out)
      throws IOException {
    return start(configuration, listener, ports, out, System.getenv());
  }

  /**
   * Starts a daemon whose control socket exists, in an environment.
   *
   * @param listener of {@link #bind}; closed with the daemon, or if the start fails
   * @param ports one device for each interface; closed with the daemon, or if the start fails
   * @param out receives the log
   * @param environment that may name a service manager, as sd_notify(3) describes
   * @throws IOException if the control thread cannot be created
   */
  public static Daemon start(
      Configuration configuration,
      ControlListener listener,
      Ports ports,
      PrintStream out,
      Map<String, String> environment)
      throws IOException {
    Daemon daemon;
    MetricsServer metrics = null;
    try {
      Crc32c.chosen();
      EagerClasses.load();
      if (configuration.metrics().enabled()) {
        metrics = MetricsServer.bind(configuration.metrics());
      }
      DaemonEvents events = new DaemonEvents(new DaemonLog(configuration.log(), out));
      SdNotifier notifier = SdNotifier.of(environment, out);
      Interfaces interfaces = new Interfaces(configuration, ports);
      interfaces.addKeys(name -> true);
      interfaces.introduce();
      daemon = new Daemon(configuration, listener, interfaces, ports, events, notifier);
    } catch (IOException | RuntimeException e) {
      if (metrics != null) {
        metrics.close();
      }
      listener.close();
      ports.close();
      throw e;
    }
    daemon.startEngines();
    daemon.startControl();
    try {
      daemon.startMetrics(metrics);
    } catch (IOException | RuntimeException e) {
      daemon.close();
      throw e;
    }
    daemon.tellServiceManager();
    daemon.startReplacements();
    return daemon;
  }

  /** Lets the engines make turns. */
  void startEngines() {
    control.handOver().goOn();
    startThreads();
    VectorWarmUp.start(this::turnsWithWork);
  }

  /** Serves programs' requests. */
  void startControl() {
    logStart();
    control.start();
  }

  /** Takes what the other daemon has let go of. */
  void settle() {
    MetricsServer bound = null;
    try {
      bound =
          configuration.metrics().enabled() ? MetricsServer.bind(configuration.metrics()) : null;
      startMetrics(bound);
    } catch (IOException | RuntimeException e) {
      events.warn("there are no metrics: " + e.getMessage());
      if (bound != null) {
        bound.close();
      }
    }
    tellServiceManager();
    startReplacements();
  }

  /**
   * Waits until the code for vectors is warm, which the first daemon of this process has begun.
   *
   * @return false at the timeout
   */
  public static boolean awaitWarmUp(Duration timeout) throws InterruptedException {
    return VectorWarmUp.awaitEnd(timeout);
  }

  private void startReplacements() {
    try {
      replacements = Replacements.start(configuration.controlSocket(), departing(), events::info);
    } catch (IOException | RuntimeException e) {
      events.warn("no other daemon can take this one's place: " + e.getMessage());
    }
  }

  /** Makes the programs' share of the heap, with its counters. */
  private HeapShare heap() {
    HeapShare heap = HeapShare.ofHeap(Runtime.getRuntime().maxMemory());
    interfaces.statistics().add(HEAP, heap);
    return heap;
  }

  private void tellServiceManager() {
    notifier.ready("programs connect at " + configuration.controlSocket());
    if (notifier.watchdog().isPositive()) {
      watchdog = new Watchdog(threads, notifier.watchdog(), notifier::feedWatchdog);
      watchdog.start();
    }
  }

  private void logStart() {
    int device = 0;
    for (InterfaceConfiguration each : configuration.interfaces()) {
      String port =
          ports.devices().get(device) instanceof DpdkDevice dpdk
              ? ": " + PortWords.of(dpdk, each.engines())
              : "";
      events.info(
          "interface %s is %s on %s, MTU %d%s"
              .formatted(each.name(), each.addressText(), each.device(), each.mtu(), port));
      device += each.engines();
    }
    if (configuration.interfaces().stream().anyMatch(each -> each.ipsec().isPresent())) {
      events.info("AES-GCM of ESP is computed by " + ports.ciphers());
    }
    for (TenantConfiguration each : configuration.limits().tenants()) {
      String who = each.isOther() ? "each other user" : "tenant " + each.name();
      events.info(who + " has a share of each interface: " + each.share());
    }
    ports.warnings().forEach(events::warn);
    events.info("programs connect at " + configuration.controlSocket());
  }

  private long turnsWithWork() {
    return interfaces.engines().stream()
        .map(Engine::counters)
        .mapToLong(each -> each.turns - each.idleTurns)
        .sum();
  }

  private void makeThreads() {
    if (configuration.engine().engines() == EngineThreads.SHARED) {
      threads.add(thread("rddp-engine", interfaces.engines()));
    } else {
      for (Engine engine : interfaces.engines()) {
        threads.add(thread("rddp-" + engine.name(), List.of(engine)));
      }
    }
  }

  private void startThreads() {
    threads.forEach(EngineThread::start);
    List<EngineWatch> watches = control.watch(threads, configuration.engine().stuckTimeout());
    for (int i = 0; i < threads.size(); i++) {
      for (Engine engine : threads.get(i).engines()) {
        EngineStatistics.add(interfaces.statistics(), engine, watches.get(i));
      }
    }
  }

  private void startMetrics(MetricsServer bound) throws IOException {
    health = new Health(threads);
    metrics = bound;
    if (metrics != null) {
      metrics.start(new DaemonMetrics(interfaces.statistics(), interfaces.engines()), health);
      String address = metrics.address().getAddress().getHostAddress();
      control.note("metrics at http://" + address + ":" + metrics.address().getPort() + "/metrics");
    }
  }

  private EngineThread thread(String name, List<Engine> driven) {
    EnginePlacement placement = new EnginePlacement(configuration.engine());
    int number = threads.size();
    Runnable onStart =
        () -> {
          placement.enter(number);
          ports.enter();
        };
    IdleMode idle = configuration.engine().idle();
    EngineSleep sleep = idle == IdleMode.INTERRUPT ? sleep(driven) : null;
    return new EngineThread(
        name, driven, idle, sleep, onStart, ports::leave, cause -> onEngineLost(name, cause));
  }

  private EngineSleep sleep(List<Engine> driven) {
    try {
      return EngineSleep.of(driven.stream().map(interfaces::device).toList());
    } catch (SystemCallException e) {
      throw new IllegalStateException("no sleep for an engine's thread: " + e.getMessage(), e);
    }
  }

  /** Tells the operator. */
  void warn(String what) {
    events.warn(what);
  }

  /**
   * Ends the daemon: without the engine programs would wait forever, but they notice the daemon's
   * end.
   */
  void onEngineLost(String thread, Throwable cause) {
    lost = cause;
    control
        .faults()
        .onFault("the thread " + thread + ", which has ended; the daemon ends, too", cause);
    new Thread(this::close, "rddp-lost").start();
  }

  private static Set<PosixFilePermission> permissions(Configuration configuration) {
    PosixFilePermission[] bits = {
      PosixFilePermission.OTHERS_EXECUTE,
      PosixFilePermission.OTHERS_WRITE,
      PosixFilePermission.OTHERS_READ,
      PosixFilePermission.GROUP_EXECUTE,
      PosixFilePermission.GROUP_WRITE,
      PosixFilePermission.GROUP_READ,
      PosixFilePermission.OWNER_EXECUTE,
      PosixFilePermission.OWNER_WRITE,
      PosixFilePermission.OWNER_READ
    };
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (int i = 0; i < bits.length; i++) {
      if ((configuration.control().mode() >>> i & 1) != 0) {
        permissions.add(bits[i]);
      }
    }
    return permissions;
  }

  /**
   * Applies the changes of a configuration that a running daemon can, and logs those that need a
   * restart. Existing sessions keep what they have.
   */
  public synchronized void reconfigure(Configuration next) {
    Configuration running = configuration;
    Changes changes = Changes.between(running, next);
    configuration = running.applied(next);
    events.setLevels(configuration.log());
    limitPrograms();
    control.note(
        "the configuration was read again; changed: "
            + (changes.applied().isEmpty() ? "nothing" : String.join(", ", changes.applied())));
    if (!changes.restart().isEmpty()) {
      control.note(
          "these changes need a restart of the daemon: " + String.join(", ", changes.restart()));
    }
  }

  /** Applies the configuration's limits of programs, and who may connect to the control socket. */
  void limitPrograms() {
    ControlConfiguration access = configuration.control();
    control.reconfigure(
        configuration.limits(),
        Set.copyOf(access.users()),
        permissions(configuration),
        access.group());
  }

  /** Logs why a configuration that was read again is not applied. */
  public void refuse(ConfigurationException refused) {
    control.note("the configuration is not taken over, since it is not valid:");
    refused.problems().forEach(problem -> control.note(problem.toString()));
  }

  // ---- Another daemon takes this one's place ----

  /**
   * Lets an action run once, on another thread, while the first daemon that is to take this one's
   * place prepares, and the engines run: it may run code that is not compiled yet.
   */
  public void rehearseBy(Runnable action) {
    rehearsal.set(action);
  }

  /** Its end, if another daemon takes its place. */
  DepartingDaemon departing() {
    return new DepartingDaemon(
        this, interfaces, ports, threads, control, notifier, new Urgency(configuration.engine()));
  }

  /** Runs the action of {@link #rehearseBy}, if it has not been run. */
  void rehearse() {
    rehearsal.getAndSet(() -> {}).run();
  }

  /**
   * Goes on with the state of another daemon, before {@link #startEngines}.
   *
   * @param descriptors of that state, behind the control socket
   * @param stacks which have been read
   * @throws SnapshotException if it does not fit; {@link #discard} is to follow
   */
  void read(SnapshotReader snapshot, HandedDescriptors descriptors, HandedStacks stacks) {
    new DaemonSnapshot(stacks, control.handOver(), interfaces.statistics())
        .read(snapshot, descriptors);
  }

  /** Ends everything: another daemon goes on, without a word to programs and peers. */
  void leave() {
    left = true;
    end();
    interfaces.retire();
  }

  /** Ends a daemon that has not begun, and leaves everything to the other one. */
  void discard() {
    control.leave();
    control.close();
    threads.forEach(EngineThread::discard);
    ports.close();
    interfaces.discard();
    notifier.close();
    events.close();
  }

  /** The engines, one or several for each interface, in the order of the configuration. */
  public List<Engine> engines() {
    return List.copyOf(interfaces.engines());
  }

  /** The threads that run them. */
  List<EngineThread> threads() {
    return List.copyOf(threads);
  }

  /**
   * Stops the daemon: stops accepting programs, closes connections gracefully if their peers
   * respond in time, ends sessions, stops threads and closes ports. A second call does nothing.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    endReplacements();
    if (left) {
      return;
    }
    notifier.stopping(Duration.ofNanos(configuration.control().drainTimeout() + 2 * END_TIMEOUT));
    if (health != null) {
      health.stopping();
    }
    control.stopAccepting();
    if (lost == null) {
      endInOrder();
    }
    end();
  }

  private void endReplacements() {
    if (replacements != null) {
      try {
        replacements.close();
      } catch (IOException e) {
        events.warn("the socket for other daemons: " + e.getMessage());
      }
    }
  }

  /** Ends everything. */
  private void end() {
    boolean stopped = stopThreads();
    control.close();
    if (metrics != null) {
      metrics.close();
    }
    if (stopped) {
      ports.close();
      interfaces.statistics().close();
    }
    if (watchdog != null) {
      watchdog.close();
    }
    notifier.close();
    events.info("the daemon has ended");
    events.close();
    ended.countDown();
  }

  /**
   * Stops the engines' threads.
   *
   * @return false if one is stuck; the resources that it uses must stay open until the process ends
   */
  private boolean stopThreads() {
    threads.forEach(EngineThread::stop);
    boolean stopped = true;
    long deadline = System.nanoTime() + END_TIMEOUT;
    for (EngineThread thread : threads) {
      if (!thread.awaitEnd(deadline - System.nanoTime())) {
        stopped = false;
        events.warn(
            "the thread %s does not stop; the daemon ends without it; its calls, the latest first: %s"
                .formatted(thread.name(), thread.activity()));
      }
    }
    return stopped;
  }

  /** Closes connections and sessions of running engines gracefully. */
  private void endInOrder() {
    List<Engine> running =
        threads.stream()
            .filter(thread -> thread.sinceTurn() < EngineWatch.LIMIT)
            .flatMap(thread -> thread.engines().stream())
            .toList();
    try {
      new Drain(running, configuration.control().drainTimeout(), control::note).run();
      control.endSessions(END_TIMEOUT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits until the daemon has ended.
   *
   * @return the failure that ended it, or null if it was closed
   */
  public Throwable awaitEnd() throws InterruptedException {
    ended.await();
    return lost;
  }
}
