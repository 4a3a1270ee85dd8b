package org.rddp.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import org.rddp.client.types.Access;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.SessionLimits;
import org.rddp.client.types.WindowKind;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.Counters;
import org.rddp.ipc.ring.ProgramRings;

/**
 * A session with the daemon, the entry point of a program.
 *
 * <p>In terms of verbs, a session is a context and a completion channel in one, and has as many
 * protection domains as the program names ({@link ProtectionDomains}), one by default; a {@link
 * MemoryRegion} is an {@code ibv_mr}, a {@link MemoryWindow} an {@code ibv_mw} of type 2, a {@link
 * Connection} a queue pair with its {@code rdma_cm_id}; the {@code post} methods are {@code
 * ibv_post_send} and {@code ibv_post_recv}, {@link #poll} is {@code ibv_poll_cq}.
 *
 * <p>{@link #poll}, {@link #await} and the connections' {@code post} methods are for one thread at
 * a time; all other methods are thread-safe. A daemon thread of the session watches the control
 * socket: when the daemon dies, waiting threads wake up and every call throws {@link
 * SessionLostException}. A program that has given a {@link Reconnect} is led to the next daemon.
 */
public final class Rddp implements AutoCloseable {
  private static final Duration CONNECT_MARGIN = Duration.ofSeconds(5);
  private static final int DEFAULT_BACKLOG = 128;

  private final Path path;
  private final RddpOptions options;
  private final EventFd wake;
  private final SessionMemory memory;
  private final Completions completions = new Completions(this);

  /** Null if the session ends with its daemon. */
  private final Reconnection reconnection;

  private final SessionWait wait;

  /** Held while the session is restored or closed. */
  private final Object restoring = new Object();

  /** The daemon's end; the four below are its parts. Written by the thread that polls. */
  private volatile DaemonLink link;

  private volatile ControlChannel channel;
  private ConnectionTable connections;
  private ObjectTable<MemoryWindow> windows;
  private ObjectTable<SharedReceiveQueue> receiveQueues;
  private ProgramRings rings;
  private volatile boolean closed;

  private Rddp(Path path, RddpOptions options) throws SystemCallException {
    this.path = path;
    this.options = options;
    this.wake = EventFd.create();
    this.wait = SessionWait.of(wake);
    this.memory = new SessionMemory(this);
    this.reconnection =
        options.reconnect() == null ? null : new Reconnection(this, options.reconnect());
  }

  /**
   * The default path of the daemon's socket: {@code $RDDP_SOCKET}, or {@code /run/rddp/rddpd.sock}.
   */
  public static Path defaultSocket() {
    String configured = System.getenv("RDDP_SOCKET");
    return Path.of(configured == null ? "/run/rddp/rddpd.sock" : configured);
  }

  /**
   * The daemon's interfaces, without a session: a program chooses one by {@link
   * RddpOptions#withInterfaceName}.
   *
   * @param socket path of the daemon's socket
   * @throws DaemonUnavailableException if there is no usable daemon; the message says what to do
   * @throws RefusedException if the daemon does not admit the program's user
   */
  public static List<DaemonInterface> interfaces(Path socket) {
    return DaemonInterface.list(socket, RddpOptions.defaults().requestTimeout());
  }

  /** Opens a session with default options, see {@link #connect(Path, RddpOptions)}. */
  @CheckReturnValue
  public static Rddp connect(Path socket) {
    return connect(socket, RddpOptions.defaults());
  }

  /**
   * Opens a session.
   *
   * @param socket path of the daemon's socket
   * @throws DaemonUnavailableException if there is no usable daemon; the message says what to do
   * @throws RefusedException if the daemon refuses the session
   */
  @CheckReturnValue
  public static Rddp connect(Path socket, RddpOptions options) {
    Rddp session;
    try {
      session = new Rddp(socket, options);
    } catch (SystemCallException e) {
      throw new DaemonUnavailableException("no session: " + e.getMessage(), e);
    }
    try {
      session.use(DaemonLink.open(session, socket, options, session.wake));
      return session;
    } catch (RuntimeException e) {
      session.wait.close();
      throw e;
    }
  }

  private void use(DaemonLink next) {
    connections = next.connections();
    windows = next.windows();
    receiveQueues = next.receiveQueues();
    rings = next.rings();
    completions.use(next);
    wait.use(next.signals());
    memory.use(next.channel());
    link = next;
    channel = next.channel();
  }

  /** The limits of this session. */
  public SessionLimits limits() {
    return link.welcome().limits();
  }

  /** The name of the daemon's interface that this session uses. */
  public String interfaceName() {
    return link.welcome().interfaceName();
  }

  /** The interface's address. */
  public InetAddress address() {
    return InetAddresses.address(link.welcome().address());
  }

  /** The daemon's process id, as reported by the kernel. */
  public long daemonPid() {
    return link.daemonPid();
  }

  /**
   * Allocates and registers zeroed memory. All of its pages are allocated before this returns,
   * which takes up to some seconds for each GiB.
   *
   * @param octets greater than 0
   * @param rights access rights, without {@link Access#REMOTE_INVALIDATE}, which is for one
   *     connection ({@link MemoryRegion#register(Connection, long, long, Access...)}); this
   *     program's own sends and writes may always read it
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public MemoryRegion allocate(long octets, Access... rights) {
    return allocate(octets, RegionOptions.of(rights));
  }

  /**
   * Allocates and registers zeroed memory, see {@link #allocate(long, Access...)}.
   *
   * @param octets greater than 0
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public MemoryRegion allocate(long octets, RegionOptions region) {
    throwIfUnusable();
    return memory.allocate(octets, region.settings());
  }

  /**
   * Registers memory that the program has brought: a memfd ({@code memfd_create} with {@code
   * MFD_ALLOW_SEALING}) whose size is sealed ({@code F_SEAL_SHRINK} and {@code F_SEAL_GROW}),
   * without {@code F_SEAL_SEAL}, not on huge pages. This method adds {@code F_SEAL_FUTURE_WRITE}:
   * processes that write the memory must have mapped it before.
   *
   * @param descriptor the memfd's number in this process. The caller keeps it and may close it
   * @throws IOException if the memory cannot be shared safely; the message says why
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public MemoryRegion register(int descriptor, Access... rights) throws IOException {
    return register(descriptor, RegionOptions.of(rights));
  }

  /**
   * Registers memory that the program has brought, see {@link #register(int, Access...)}.
   *
   * @param descriptor the memfd's number in this process. The caller keeps it and may close it
   * @throws IOException if the memory cannot be shared safely; the message says why
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public MemoryRegion register(int descriptor, RegionOptions region) throws IOException {
    throwIfUnusable();
    try (Descriptor own = Descriptor.duplicate(descriptor)) {
      return memory.adopt(own, region.settings());
    }
  }

  /**
   * Registers memory that the program has brought, see {@link #register(int, Access...)}.
   *
   * @param memfd path of a memfd: {@code /proc/PID/fd/NUMBER} of a process of the same user, or
   *     {@code /proc/self/fd/NUMBER}. Files of other file systems cannot be sealed
   * @throws IOException if it cannot be opened, or cannot be shared safely
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public MemoryRegion register(Path memfd, Access... rights) throws IOException {
    throwIfUnusable();
    try (Descriptor own = Descriptor.open(memfd)) {
      return memory.adopt(own, RegionOptions.of(rights).settings());
    }
  }

  /**
   * Allocates a memory window, which can be bound to one part of a region at a time. It counts as a
   * region.
   *
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public MemoryWindow allocateWindow() {
    return allocateWindow(ProtectionDomains.DEFAULT);
  }

  /**
   * Allocates a memory window as {@link #allocateWindow()} does, in a protection domain.
   *
   * @param domain number of the domain of the regions and connections that it is for
   */
  @CheckReturnValue
  public MemoryWindow allocateWindow(int domain) {
    ProtectionDomains.check(domain);
    throwIfUnusable();
    MemoryWindow[] made = new MemoryWindow[1];
    channel.request(
        request -> new ProgramMessage.AllocateWindow(request, WindowKind.RENAMED.code(), domain),
        DaemonMessage.WindowAllocated.class,
        reply -> {
          made[0] = new MemoryWindow(this, reply.window(), reply.stag(), domain);
          windows.put(reply.window(), made[0]);
        });
    return made[0];
  }

  /**
   * Creates an empty shared receive queue.
   *
   * @param size number of receives that it holds, 1 to {@link SessionLimits#outstanding()}
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public SharedReceiveQueue createSharedReceiveQueue(int size) {
    return createSharedReceiveQueue(size, ProtectionDomains.DEFAULT);
  }

  /**
   * Creates an empty shared receive queue in a protection domain, which may be another than that of
   * its connections.
   *
   * @param size number of receives that it holds, 1 to {@link SessionLimits#outstanding()}
   * @param domain number of the domain of the regions that its receives name
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public SharedReceiveQueue createSharedReceiveQueue(int size, int domain) {
    ProtectionDomains.check(domain);
    throwIfUnusable();
    SharedReceiveQueue[] made = new SharedReceiveQueue[1];
    channel.request(
        request -> new ProgramMessage.CreateReceiveQueue(request, size, domain),
        DaemonMessage.ReceiveQueueCreated.class,
        reply -> {
          made[0] = new SharedReceiveQueue(this, reply.queue(), size, domain);
          receiveQueues.put(reply.queue(), made[0]);
        });
    return made[0];
  }

  /** Removes a window that has been freed in the daemon. */
  void forget(MemoryWindow window) {
    windows.remove(window.id());
  }

  /**
   * Listens at the interface's address with a backlog of 128, see {@link #listen(InetSocketAddress,
   * int)}.
   */
  @CheckReturnValue
  public Listener listen(int port) {
    return listen(new InetSocketAddress(port), DEFAULT_BACKLOG);
  }

  /**
   * Listens for connections.
   *
   * @param address the address of the interface, or the wildcard; port 0: any free port
   * @param backlog number of connection requests that may wait for this program
   */
  @CheckReturnValue
  public Listener listen(InetSocketAddress address, int backlog) {
    return listen(address, backlog, ConnectionOptions.DEFAULTS);
  }

  /**
   * Listens for connections.
   *
   * @param address the address of the interface, or the wildcard; port 0: any free port
   * @param backlog number of connection requests that may wait for this program
   * @param options options of every connection
   */
  @CheckReturnValue
  public Listener listen(InetSocketAddress address, int backlog, ConnectionOptions options) {
    throwIfUnusable();
    options.check(this);
    IpAddress at = InetAddresses.of(address);
    Listener[] made = new Listener[1];
    channel.request(
        request ->
            new ProgramMessage.Listen(request, at, address.getPort(), backlog, options.settings()),
        DaemonMessage.Listening.class,
        reply -> {
          made[0] = new Listener(this, reply, backlog, options);
          link.events().add(made[0]);
        });
    return made[0];
  }

  void forget(Listener listener) {
    link.events().remove(listener);
  }

  /**
   * Connects to a peer.
   *
   * @param privateData for the peer's program
   * @param timeout for TCP's and MPA's startup together, at most ten minutes
   * @return the connection, established
   * @throws ConnectionRejectedException if the peer's program rejects the connection
   * @throws ConnectionFailedException if the connection cannot be established
   */
  @CheckReturnValue
  public Connection connect(InetSocketAddress remote, PrivateData privateData, Duration timeout) {
    return connect(remote, privateData, timeout, ConnectionOptions.DEFAULTS);
  }

  /** Connects with options, see {@link #connect(InetSocketAddress, PrivateData, Duration)}. */
  @CheckReturnValue
  public Connection connect(
      InetSocketAddress remote,
      PrivateData privateData,
      Duration timeout,
      ConnectionOptions options) {
    throwIfUnusable();
    options.check(this);
    Connection[] made = new Connection[1];
    channel.request(
        connectMessage(remote, privateData, timeout, options),
        DaemonMessage.Connecting.class,
        reply -> made[0] = connecting(remote, reply, options));
    Connection connection = made[0];
    try {
      connection.state().awaitEstablished(TimedWait.bounded(timeout).plus(CONNECT_MARGIN));
    } catch (RddpException e) {
      connection.close();
      throw e;
    }
    return connection;
  }

  /**
   * Connects to a peer without blocking the caller. Parameters are those of {@link
   * #connect(InetSocketAddress, PrivateData, Duration, ConnectionOptions)}.
   *
   * @return the connection when it is established; or {@link ConnectionRejectedException}, {@link
   *     ConnectionFailedException}, {@link RefusedException} or {@link SessionLostException}. What
   *     depends on it runs on a thread of {@link CompletableFuture}'s default executor, and so may
   *     neither post nor poll while another thread of the program does
   */
  @CheckReturnValue
  public CompletionStage<Connection> connectAsync(
      InetSocketAddress remote,
      PrivateData privateData,
      Duration timeout,
      ConnectionOptions options) {
    throwIfUnusable();
    options.check(this);
    CompletableFuture<Connection> made = new CompletableFuture<>();
    return channel
        .requestAsync(
            connectMessage(remote, privateData, timeout, options),
            DaemonMessage.Connecting.class,
            reply -> made.complete(connecting(remote, reply, options)))
        .thenCompose(reply -> made.join().state().established(made.join()));
  }

  private IntFunction<ProgramMessage> connectMessage(
      InetSocketAddress remote,
      PrivateData privateData,
      Duration timeout,
      ConnectionOptions options) {
    IpAddress to = InetAddresses.of(remote);
    int millis = Math.clamp(TimedWait.bounded(timeout).toMillis(), 1, Integer.MAX_VALUE);
    return request ->
        new ProgramMessage.Connect(
            request,
            IpAddress.ipv4(0),
            to,
            remote.getPort(),
            millis,
            options.settings(),
            privateData);
  }

  private Connection connecting(
      InetSocketAddress remote, DaemonMessage.Connecting reply, ConnectionOptions options) {
    Connection connection = new Connection(this, limits(), reply.connection(), options);
    connection.state().connectTo(remote);
    connections.add(connection);
    return connection;
  }

  /**
   * Passes completions to the handler: those of connections without a {@link CompletionQueue} of
   * their own. Neither blocks nor allocates, unless it leads the session to another daemon ({@link
   * Reconnect}).
   *
   * @param max largest number of completions
   * @return number of completions passed
   * @throws SessionLostException if there is no completion and the session is lost
   */
  public int poll(CompletionHandler handler, int max) {
    return completions.poll(completions.mainQueue(), handler, max);
  }

  /**
   * Creates a queue of completions for connections whose options name it. It needs no resource of
   * the daemon, and ends with the session.
   */
  @CheckReturnValue
  public CompletionQueue createCompletionQueue() {
    throwIfUnusable();
    return new CompletionQueue(completions);
  }

  /**
   * Waits for a completion of any queue, a connection request, or a change of a connection. May
   * return spuriously; returns at once while a {@link CompletionQueue} keeps what was not polled. A
   * virtual thread that waits does not pin its carrier.
   *
   * @return false at the timeout
   * @throws SessionLostException if the session is lost
   * @throws RddpException if the thread is interrupted; it stays interrupted
   */
  public boolean await(Duration timeout) {
    throwIfEnded();
    return completions.awaitAny(timeout);
  }

  /** The same, without regard to completions that have been read and kept. */
  boolean awaitRing(Duration timeout) {
    if (!rings.requestSignal()) {
      return true;
    }
    long deadline = System.nanoTime() + TimedWait.bounded(timeout).toNanos();
    boolean signalled = channel.lost() == null && wait.await(timeout);
    throwIfEnded();
    return channel.lost() == null ? signalled : awaitDaemon(deadline);
  }

  /** Waits for a completion or another change, but not for the next daemon. */
  void awaitThisDaemon(Duration timeout) {
    if (rings.requestSignal() && channel.lost() == null) {
      wait.await(timeout);
    }
  }

  /**
   * The number of a descriptor for the program's own event loop, for example with {@code epoll} or
   * {@code io_uring}. After {@link #arm()} it becomes readable when there is a completion or a
   * connection request, when a connection changes, or when the session is lost. The program must
   * not read or close it; it is closed with the session.
   *
   * <p>In each round of the loop: {@link #arm()}; then poll, and look at listeners and connections;
   * then, if there was nothing to do, wait for the descriptor. In this order nothing is missed.
   */
  public int eventDescriptor() {
    throwIfEnded();
    return wait.descriptor();
  }

  /**
   * Makes {@link #eventDescriptor()} unreadable until something happens from now on. For the thread
   * that polls; a system call or two.
   */
  public void arm() {
    throwIfEnded();
    wait.clear();
    if (channel.lost() != null || !rings.requestSignal() || completions.isAnyKept()) {
      wake.signal();
    }
  }

  /** Waits until the session is restored, or there are completions of the lost daemon. */
  private boolean awaitDaemon(long deadline) {
    while (rings.requestSignal()) {
      long next = proceedAfterLoss();
      if (next == 0) {
        return true;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait.await(Duration.ofNanos(Math.min(next, left)));
      throwIfEnded();
    }
    return true;
  }

  /** Reports the loss of the daemon, or goes on to the next one. */
  long proceedAfterLoss() {
    if (reconnection == null) {
      channel.throwIfLost();
    }
    return reconnection.proceed();
  }

  /** Whether the program wants to go on with another daemon when this one ends. */
  boolean isReconnecting() {
    return reconnection != null;
  }

  /** Ends what has ended with the daemon; all of its completions have been polled. */
  LostSession takeLoss() {
    // Waits for the channel's thread, so that the events before the loss have been handled.
    channel.close();
    wait.forgetSignals();
    List<LostRequest> requests = new ArrayList<>();
    for (Connection connection : connections.all()) {
      if (connection != null) {
        connection.onDaemonLost(requests);
      }
    }
    receiveQueues.forEach(queue -> queue.onDaemonLost(requests));
    return new LostSession(channel.lost(), link.events().lost(), requests, memory.onDaemonLost());
  }

  /**
   * Goes on with the daemon that answers now. Nothing has changed if it fails.
   *
   * @throws RddpException if none answers, or it refuses something
   */
  void restore() {
    synchronized (restoring) {
      throwIfClosed();
      DaemonLink old = link;
      DaemonLink next = DaemonLink.open(this, path, options, wake);
      try {
        memory.restore(next.channel());
        windows.forEach(window -> window.restore(next.channel(), next.windows()));
        receiveQueues.forEach(queue -> queue.restore(next.channel(), next.receiveQueues()));
        // They name receive queues.
        old.events()
            .listeners()
            .forEach(listener -> listener.restore(next.channel(), next.events()));
      } catch (RuntimeException e) {
        next.close();
        throw e;
      }
      use(next);
      old.close();
    }
  }

  /**
   * The daemon's counters by name, as {@code rddp stat} prints them.
   *
   * @throws IOException if they cannot be mapped
   */
  public Map<String, Long> counters() throws IOException {
    Map<String, Long> values = new TreeMap<>();
    try (CounterReader counters = openCounters()) {
      counters.forEach(values::put);
    }
    return values;
  }

  /**
   * Opens the daemon's counters for programs that read them often. Close them after use.
   *
   * @throws IOException if they cannot be mapped
   */
  @CheckReturnValue
  public CounterReader openCounters() throws IOException {
    throwIfUnusable();
    DaemonMessage.CountersOpened opened =
        channel.request(ProgramMessage.OpenCounters::new, DaemonMessage.CountersOpened.class);
    return new CounterReader(Counters.open(opened.descriptor()));
  }

  /**
   * Lists what the daemon has: of this program's user, or of all users if this program's user is
   * root or the daemon's own, or its group is the daemon's. Each object shows one moment; they are
   * copied one after the other.
   *
   * @return one JSON object for each; the keys are in docs/ipc.md
   */
  public List<String> list(ListSubject subject) {
    throwIfUnusable();
    List<String> lines = new ArrayList<>();
    int session = 0;
    int index = 0;
    do {
      int fromSession = session;
      int fromIndex = index;
      DaemonMessage.ObjectsListed page =
          channel.request(
              request ->
                  new ProgramMessage.ListObjects(request, subject.code(), fromSession, fromIndex),
              DaemonMessage.ObjectsListed.class);
      page.lines().lines().forEach(lines::add);
      session = page.session();
      index = page.index();
    } while (session != 0);
    return lines;
  }

  /**
   * Starts copying every frame of the interface. Only root and the daemon's own user may, and one
   * capture at a time for each interface.
   *
   * @param ringOctets size of the ring in octets, a power of two from 4 KiB to 1 GiB
   * @param snapLength octets kept of each frame, 1 to 65535
   * @return the frames; close it after {@link #stopCapture()}
   * @throws RefusedException if the program may not capture, or another capture is running
   */
  @CheckReturnValue
  public Capture startCapture(int ringOctets, int snapLength) throws IOException {
    throwIfUnusable();
    return Capture.start(
        channel, request -> new ProgramMessage.StartCapture(request, ringOctets, snapLength));
  }

  /**
   * Starts writing what happens to a connection of any program on this interface into a ring: its
   * segments, timers, FPDUs, requests and the state of its congestion control, each as an event
   * whose octets docs/ipc.md specifies. Only root and the daemon's own user may, and one program at
   * a time on each interface. A session has either a capture or a trace; {@link #stopCapture()}
   * stops both.
   *
   * @param ringOctets size of the ring in octets, a power of two from 4 KiB to 1 GiB
   * @param number see {@link Connection#id}
   * @param process id of the process whose connection it is; 0: any, if only one has the number
   * @return the events; close it after {@link #stopCapture()}
   * @throws RefusedException if there is no such connection, or there are several
   */
  @CheckReturnValue
  public Capture startTrace(int ringOctets, int number, long process) throws IOException {
    throwIfUnusable();
    return Capture.start(
        channel,
        request -> new ProgramMessage.StartTrace(request, ringOctets, number, (int) process));
  }

  /** Stops the capture or the trace. What is in the ring can still be read. */
  public void stopCapture() {
    throwIfUnusable();
    Capture.stop(channel);
  }

  /**
   * Finds a connection of any program on this interface by its number. Only root and the daemon's
   * own user may.
   *
   * @param number see {@link Connection#id}
   * @param process id of the process whose connection it is; 0: any, if only one has the number
   * @throws RefusedException if there is none, or there are several
   */
  public ConnectionAddresses findConnection(int number, long process) {
    throwIfUnusable();
    DaemonMessage.ConnectionFound found =
        channel.request(
            request -> new ProgramMessage.FindConnection(request, number, (int) process),
            DaemonMessage.ConnectionFound.class);
    return new ConnectionAddresses(
        InetAddresses.address(found.localAddress(), found.localPort()),
        InetAddresses.address(found.remoteAddress(), found.remotePort()));
  }

  ControlChannel channel() {
    return channel;
  }

  ProgramRings rings() {
    return rings;
  }

  ConnectionTable connections() {
    return connections;
  }

  Completions completions() {
    return completions;
  }

  SessionMemory memory() {
    return memory;
  }

  void throwIfUnusable() {
    throwIfClosed();
    channel.throwIfLost();
  }

  /** The same, but not if the session may go on with another daemon. */
  void throwIfEnded() {
    throwIfClosed();
    if (reconnection == null) {
      channel.throwIfLost();
    }
  }

  void throwIfClosed() {
    if (closed) {
      throw new IllegalStateException("the session is closed");
    }
  }

  /**
   * Ends the session: resets its connections and unmaps its regions. A later access to their memory
   * throws. Never throws; a second call does nothing.
   */
  @Override
  public void close() {
    synchronized (restoring) {
      if (closed) {
        return;
      }
      closed = true;
    }
    link.endSession();
    memory.close();
    wait.close();
    link.close();
  }
}
