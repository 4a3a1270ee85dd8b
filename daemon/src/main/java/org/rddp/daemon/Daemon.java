package org.rddp.daemon;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
import org.rddp.daemon.configuration.IpsecConfiguration;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.configuration.TenantConfiguration;
import org.rddp.daemon.control.ControlServer;
import org.rddp.daemon.control.EngineWatch;
import org.rddp.daemon.control.FrameCapture;
import org.rddp.daemon.control.HandedDescriptors;
import org.rddp.daemon.control.InterfaceEngine;
import org.rddp.daemon.control.PublishedValue;
import org.rddp.daemon.control.ReservedPorts;
import org.rddp.daemon.control.Statistics;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineSleep;
import org.rddp.daemon.engine.EngineThread;
import org.rddp.daemon.engine.HeapShare;
import org.rddp.daemon.engine.InterfaceTenants;
import org.rddp.daemon.engine.QueuePairNumbers;
import org.rddp.daemon.log.DaemonEvents;
import org.rddp.daemon.log.DaemonLog;
import org.rddp.daemon.metrics.DaemonMetrics;
import org.rddp.daemon.metrics.Health;
import org.rddp.daemon.metrics.MetricsServer;
import org.rddp.daemon.replacement.Replacements;
import org.rddp.device.CapturePoint;
import org.rddp.device.CaptureSink;
import org.rddp.device.FrameDevice;
import org.rddp.dpdk.device.DpdkDevice;
import org.rddp.group.SharedCounts;
import org.rddp.group.StackGroup;
import org.rddp.ip.AssociationDatabase;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.Ipv4Network;
import org.rddp.ip.PlainCapture;
import org.rddp.ip.UsedKeys;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.control.InterfaceEntry;
import org.rddp.ipc.control.InterfacePrefix;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.mpa.MpaSettings;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStack;

/**
 * {@code rddpd}: one or several engines for each interface, and the control server for programs.
 */
public final class Daemon implements AutoCloseable {
  /** Leading bits that all link-local addresses share (RFC 4291 section 2.5.6). */
  private static final int LINK_LOCAL_PREFIX = 64;

  /**
   * Longest delay of an acknowledgment in ns. A polling program answers a message within this time,
   * so that the answer carries the acknowledgment.
   */
  private static final long ACKNOWLEDGMENT_DELAY = TimeUnit.MICROSECONDS.toNanos(5);

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

  /** Octets of the secret by which keys are remembered. */
  private static final int SECRET = 32;

  private volatile Configuration configuration;
  private final Ports ports;
  private final Statistics statistics;
  private final DaemonEvents events;
  private final List<Engine> engines = new ArrayList<>();
  private final List<AssociationDatabase> associations = new ArrayList<>();
  private final UsedKeys usedKeys;
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
   * Makes a daemon that does nothing before {@link #begin}.
   *
   * @param listener the caller closes it if this fails
   * @param ports one device for each interface; the caller closes them if this fails
   * @param events the log, closed with the daemon
   * @param notifier of the service manager, if there is one
   * @param snapshot the state of another daemon, which it goes on with; null for none
   * @param descriptors of that state, behind the control socket
   */
  Daemon(
      Configuration configuration,
      ControlListener listener,
      Ports ports,
      DaemonEvents events,
      SdNotifier notifier,
      SnapshotReader snapshot,
      HandedDescriptors descriptors)
      throws IOException {
    this.configuration = configuration;
    this.ports = ports;
    this.statistics = new Statistics();
    this.events = events;
    this.notifier = notifier;
    FaultForwarder faults = new FaultForwarder();
    List<InterfaceEngine> named = new ArrayList<>();
    List<List<TcpConnection>> connections = new ArrayList<>();
    byte[] secret = new byte[SECRET];
    new SecureRandom().nextBytes(secret);
    usedKeys = new UsedKeys(secret);
    if (snapshot != null) {
      DaemonSnapshot.transfer(snapshot, usedKeys, configuration.interfaces().size());
    }
    for (InterfaceConfiguration each : configuration.interfaces()) {
      StackGroup group = new StackGroup(each.engines());
      SharedCounts owned = new SharedCounts();
      InterfaceTenants tenants = InterfaceTenants.of(configuration.limits().tenants(), each.rate());
      AssociationDatabase shared =
          associations(each, ports.devices().get(engines.size()).macAddress(), snapshot);
      associations.add(shared);
      QueuePairNumbers queuePairs =
          new QueuePairNumbers(
              each.introductionPort(), each.engines(), new SecureRandom(), System::nanoTime);
      for (int i = 0; i < each.engines(); i++) {
        FrameDevice device = ports.devices().get(engines.size());
        Engine engine = engine(each, i, group, device, shared, configuration.limits(), faults);
        connections.add(snapshot == null ? List.of() : engine.tcp().read(snapshot));
        group.member(i).wakeBy(() -> engine.sleep().wake());
        engine.introduceTo(queuePairs);
        if (tenants != null) {
          engine.shareAmong(tenants);
        }
        engines.add(engine);
        named.add(
            new InterfaceEngine(
                each.name(),
                engine,
                i,
                queuePairs,
                each.tcp().connections(),
                owned,
                each.heldMemoryOfEngine(),
                capturePoint(device, engine),
                entry(each, device),
                each.socketsPortInUse(),
                each.ipsec().map(IpsecConfiguration::isRequired).orElse(false)));
        EngineStatistics.add(statistics, engine, device);
      }
    }
    control =
        new ControlServer(
            listener,
            named,
            ReservedPorts.of(configuration.interfaces()),
            configuration.limits(),
            Set.copyOf(configuration.control().users()),
            heap(),
            statistics,
            events);
    faults.forwardTo(control.faults());
    makeThreads();
    if (snapshot != null) {
      state().read(snapshot, descriptors, connections);
    }
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
      daemon = new Daemon(configuration, listener, ports, events, notifier, null, null);
    } catch (IOException | RuntimeException e) {
      if (metrics != null) {
        metrics.close();
      }
      listener.close();
      ports.close();
      throw e;
    }
    daemon.begin();
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

  /** Lets the engines make turns, and serves programs. */
  void begin() {
    control.handOver().goOn();
    // Before the log: their programs and peers may be waiting.
    startThreads();
    VectorWarmUp.start(this::turnsWithWork);
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
   * @param deadline of {@link System#nanoTime}, for the wait
   */
  public static void awaitWarmUp(long deadline) throws InterruptedException {
    VectorWarmUp.awaitEnd(deadline);
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
    statistics.add(HEAP, heap);
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
    return engines.stream()
        .map(Engine::counters)
        .mapToLong(each -> each.turns - each.idleTurns)
        .sum();
  }

  private void makeThreads() {
    if (configuration.engine().engines() == EngineThreads.SHARED) {
      threads.add(thread("rddp-engine", engines));
    } else {
      for (Engine engine : engines) {
        threads.add(thread("rddp-" + engine.name(), List.of(engine)));
      }
    }
  }

  private void startThreads() {
    threads.forEach(EngineThread::start);
    List<EngineWatch> watches = control.watch(threads, configuration.engine().stuckTimeout());
    for (int i = 0; i < threads.size(); i++) {
      for (Engine engine : threads.get(i).engines()) {
        EngineStatistics.add(statistics, engine, watches.get(i));
      }
    }
  }

  private void startMetrics(MetricsServer bound) throws IOException {
    health = new Health(threads);
    metrics = bound;
    if (metrics != null) {
      metrics.start(new DaemonMetrics(statistics, engines), health);
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
    List<FrameDevice> devices = new ArrayList<>();
    for (Engine engine : driven) {
      devices.add(ports.devices().get(engines.indexOf(engine)));
    }
    try {
      return EngineSleep.of(devices);
    } catch (SystemCallException e) {
      throw new IllegalStateException("no sleep for an engine's thread: " + e.getMessage(), e);
    }
  }

  /**
   * Ends the daemon: without the engine programs would wait forever, but they notice the daemon's
   * end.
   */
  private void onEngineLost(String thread, Throwable cause) {
    lost = cause;
    control
        .faults()
        .onFault("the thread " + thread + ", which has ended; the daemon ends, too", cause);
    new Thread(this::close, "rddp-lost").start();
  }

  private static Engine engine(
      InterfaceConfiguration configured,
      int number,
      StackGroup group,
      FrameDevice device,
      AssociationDatabase associations,
      Limits limits,
      FaultForwarder faults) {
    SecureRandom random = new SecureRandom();
    InterfaceAddress address = configured.interfaceAddress();
    TcpSettings tcpSettings = configured.tcp().withAcknowledgmentDelay(ACKNOWLEDGMENT_DELAY);
    QueueParts parts =
        new QueueParts(
            device,
            address,
            tcpSettings,
            group.member(number),
            limits.stags(),
            configured.heldMemoryOfEngine(),
            configured
                .ipsec()
                .map(each -> new IpSecurity(each.policy(), associations, number))
                .orElse(null),
            random);
    MpaSettings mpa = configured.mpa();
    RdmapSettings rdmap =
        new RdmapSettings(
            mpa,
            limits.session().sendQueue(),
            limits.session().receiveQueue(),
            mpa.ird(),
            mpa.ord(),
            configured.heldOctets());
    String name = configured.engines() == 1 ? configured.name() : configured.name() + "/" + number;
    TcpStack stack = parts.tcp(System.nanoTime());
    Engine engine = new Engine(name, address, stack, parts.ddp(), rdmap, faults);
    engine.restartWith(parts);
    return engine;
  }

  /** The associations of an interface: at first the other daemon's, or those of its key file. */
  private AssociationDatabase associations(
      InterfaceConfiguration configured, long macAddress, SnapshotReader snapshot)
      throws IOException {
    List<HostAddress> ours = configured.interfaceAddress().all(macAddress);
    AssociationDatabase made =
        new AssociationDatabase(ours, ports.ciphers(), usedKeys, configured.engines());
    Optional<Path> keyFile = configured.ipsec().flatMap(IpsecConfiguration::keyFile);
    if (snapshot != null) {
      DaemonSnapshot.transfer(snapshot, configured, macAddress);
      made.read(snapshot);
    } else if (keyFile.isPresent()) {
      new KeyFile(keyFile.get(), ours).addTo(made, System.nanoTime());
    }
    return made;
  }

  private static InterfaceEntry entry(InterfaceConfiguration configured, FrameDevice device) {
    Optional<Ipv4Network> ipv4 = configured.ipv4();
    return new InterfaceEntry(
        configured.name(),
        ipv4.map(own -> ControlAddresses.of(own.address())).orElse(IpAddress.NONE),
        ipv4.map(Ipv4Network::prefixLength).orElse(0),
        ipv4.flatMap(Ipv4Network::gateway).map(ControlAddresses::of).orElse(IpAddress.NONE),
        configured.mtu(),
        device.macAddress(),
        ipv6(configured, device.macAddress()));
  }

  private static List<InterfacePrefix> ipv6(InterfaceConfiguration configured, long macAddress) {
    return configured
        .ipv6()
        .map(network ->
            List.of(
                new InterfacePrefix(ControlAddresses.of(network.address()), network.prefixLength()),
                new InterfacePrefix(
                    ControlAddresses.of(network.linkLocal(macAddress)), LINK_LOCAL_PREFIX)))
        .orElse(List.of());
  }

  /** The frames of the device, and those that the interface sends to its own address. */
  private static FrameCapture capturePoint(FrameDevice device, Engine engine) {
    if (!(device instanceof CapturePoint point)) {
      return Daemon::cannotCapture;
    }
    return (sink, plain) -> {
      point.capture(sink != null && plain ? PlainCapture.withoutSealed(sink) : sink);
      engine.capture(sink == null ? null : atTimeOfDay(sink), plain);
    };
  }

  /** Converts times of {@link System#nanoTime} to the time of day. */
  private static CaptureSink atTimeOfDay(CaptureSink sink) {
    long epoch = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
    return (time, address, length) -> sink.offer(time + epoch, address, length);
  }

  private static void cannotCapture(CaptureSink sink, boolean plain) {
    throw new UnsupportedOperationException("the device cannot capture");
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
        state(),
        ports,
        threads,
        control,
        notifier,
        () -> rehearsal.getAndSet(() -> {}).run(),
        this::leave,
        events::warn,
        cause -> onEngineLost(Thread.currentThread().getName(), cause));
  }

  private DaemonSnapshot state() {
    return new DaemonSnapshot(
        usedKeys,
        configuration.interfaces(),
        associations,
        ports.devices(),
        engines,
        control.handOver(),
        statistics);
  }

  private void leave() {
    left = true;
    end();
    associations.forEach(AssociationDatabase::retire);
  }

  /** Ends a daemon that has not begun, and leaves everything to the other one. */
  void discard() {
    control.leave();
    control.close();
    threads.forEach(EngineThread::discard);
    ports.close();
    statistics.close();
    notifier.close();
    events.close();
    associations.forEach(AssociationDatabase::retire);
  }

  /** The engines, one or several for each interface, in the order of the configuration. */
  public List<Engine> engines() {
    return List.copyOf(engines);
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
      statistics.close();
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
