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
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.Counters;
import org.rddp.ipc.ring.ProgramRings;

/**
 * A session with the daemon, the entry point of a program.
 *
 * <p>In terms of verbs, a session is a context and a completion channel in one, with one protection
 * domain unless the program names more ({@link ProtectionDomains}); a {@link MemoryRegion} is an
 * {@code ibv_mr}, a {@link MemoryWindow} an {@code ibv_mw} of type 2, a {@link Connection} a queue
 * pair with its {@code rdma_cm_id}; the {@code post} methods are {@code ibv_post_send} and {@code
 * ibv_post_recv}, {@link #poll} is {@code ibv_poll_cq}.
 *
 * <p>{@link #poll}, {@link #await} and the connections' {@code post} methods are for one thread at
 * a time; all other methods are thread-safe. A daemon thread of the session watches the control
 * socket: when the daemon dies, waiting threads wake up and every call throws {@link
 * SessionLostException}. With a {@link Reconnect}, the session goes on with the next daemon.
 */
public final class Rddp implements AutoCloseable {
  private static final int DEFAULT_BACKLOG = 128;

  private final SessionMemory memory;
  private final Completions completions = new Completions(this);
  private final SessionDaemon daemon;

  private Rddp(Path path, RddpOptions options) throws SystemCallException {
    this.memory = new SessionMemory(this);
    this.daemon = new SessionDaemon(this, path, options);
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
      session.daemon.open();
      return session;
    } catch (RuntimeException e) {
      session.daemon.abandon();
      throw e;
    }
  }

  /** The limits of this session. */
  public SessionLimits limits() {
    return daemon.link().welcome().limits();
  }

  /** The name of the daemon's interface that this session uses. */
  public String interfaceName() {
    return daemon.link().welcome().interfaceName();
  }

  /**
   * The interface's IPv4 address, or its configured IPv6 address if it has none; {@link
   * #interfaces} lists all.
   */
  public InetAddress address() {
    return InetAddresses.address(daemon.link().welcome().address());
  }

  /**
   * The process id of the daemon that has this session, as reported by the kernel: of the one that
   * listens at the control socket now, since another daemon may have taken the place of the one
   * that this program connected with. After the end of the session, of the latter.
   */
  public long daemonPid() {
    return daemon.link().daemonPid();
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
    daemon.throwIfUnusable();
    return memory.allocate(octets, region.settings());
  }

  /**
   * Registers the program's own memory: a memfd ({@code memfd_create} with {@code
   * MFD_ALLOW_SEALING}, also of huge pages) whose size is sealed ({@code F_SEAL_SHRINK} and {@code
   * F_SEAL_GROW}), without {@code F_SEAL_SEAL}. This method adds {@code F_SEAL_FUTURE_WRITE}:
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
    daemon.throwIfUnusable();
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
    daemon.throwIfUnusable();
    try (Descriptor own = Descriptor.open(memfd)) {
      return memory.adopt(own, RegionOptions.of(rights).settings());
    }
  }

  /**
   * Registers parts of regions, side by side, as one region: offsets and Tagged Offsets run on from
   * one piece to the next, and so may a message. The region shares the memory of the pieces'
   * regions, with its own STag and rights, and must be closed before them; a piece may appear more
   * than once.
   *
   * <p>Each piece but the first begins at a multiple of 4096 octets in the memory of its region,
   * and each but the last ends at one. Memory from {@link #allocate} begins at one; so does a
   * memfd. Each piece counts as a memory of {@link SessionLimits#memories()}.
   *
   * @param pieces 1 to {@link RegionPiece#MOST}, each of more than 0 octets
   * @throws RefusedException if a piece does not begin or end as it must, or a limit is reached
   * @throws IllegalStateException if a piece's region is closed, or has several pieces itself
   */
  @CheckReturnValue
  public MemoryRegion registerPieces(List<RegionPiece> pieces, RegionOptions region) {
    daemon.throwIfUnusable();
    region.checkConnection();
    return memory.register(RegionPiece.join(this, pieces), region.settings(), null);
  }

  /**
   * Allocates a memory window, which can be bound to one part of a region at a time. It counts as a
   * region.
   *
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public MemoryWindow allocateWindow() {
    return allocateWindow(WindowKind.RENAMED, ProtectionDomains.DEFAULT);
  }

  /**
   * Allocates a memory window as {@link #allocateWindow()} does, in a protection domain.
   *
   * @param domain number of the domain of the regions and connections that it is for
   */
  @CheckReturnValue
  public MemoryWindow allocateWindow(int domain) {
    return allocateWindow(WindowKind.RENAMED, domain);
  }

  /**
   * Allocates a memory window of some kind, see {@link #allocateWindow(int)}.
   *
   * @param kind whether {@link LocalOperations#postKeyedBind} chooses the STags, and who may use it
   * @param domain number of the domain of the regions and connections that it is for
   */
  @CheckReturnValue
  public MemoryWindow allocateWindow(WindowKind kind, int domain) {
    ProtectionDomains.check(domain);
    daemon.throwIfUnusable();
    MemoryWindow[] made = new MemoryWindow[1];
    channel()
        .request(
            request -> new ProgramMessage.AllocateWindow(request, kind.code(), domain),
            DaemonMessage.WindowAllocated.class,
            reply -> {
              made[0] = new MemoryWindow(this, reply.window(), reply.stag(), kind, domain);
              daemon.windows().put(reply.window(), made[0]);
            });
    return made[0];
  }

  /**
   * Creates an empty shared receive queue.
   *
   * @param size number of receives that it holds, 1 to {@link SessionLimits#completions()}
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
   * @param size number of receives that it holds, 1 to {@link SessionLimits#completions()}
   * @param domain number of the domain of the regions that its receives name
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public SharedReceiveQueue createSharedReceiveQueue(int size, int domain) {
    ProtectionDomains.check(domain);
    daemon.throwIfUnusable();
    SharedReceiveQueue[] made = new SharedReceiveQueue[1];
    channel()
        .request(
            request -> new ProgramMessage.CreateReceiveQueue(request, size, domain),
            DaemonMessage.ReceiveQueueCreated.class,
            reply -> {
              made[0] = new SharedReceiveQueue(this, reply.queue(), size, domain);
              daemon.receiveQueues().put(reply.queue(), made[0]);
            });
    return made[0];
  }

  /** Removes a window that has been freed in the daemon. */
  void forget(MemoryWindow window) {
    daemon.windows().remove(window.id());
  }

  /**
   * Listens at the interface's addresses with a backlog of 128, see {@link
   * #listen(InetSocketAddress, int)}.
   */
  @CheckReturnValue
  public Listener listen(int port) {
    return listen(new InetSocketAddress(port), DEFAULT_BACKLOG);
  }

  /**
   * Listens for connections.
   *
   * @param address an address of the interface, or the wildcard: all of them; port 0: any free port
   * @param backlog number of connection requests that may wait for this program
   */
  @CheckReturnValue
  public Listener listen(InetSocketAddress address, int backlog) {
    return listen(address, backlog, ConnectionOptions.DEFAULTS);
  }

  /**
   * Listens for connections.
   *
   * @param address an address of the interface, or the wildcard: all of them; port 0: any free port
   * @param backlog number of connection requests that may wait for this program
   * @param options options of every connection
   */
  @CheckReturnValue
  public Listener listen(InetSocketAddress address, int backlog, ConnectionOptions options) {
    daemon.throwIfUnusable();
    options.check(this);
    IpAddress at = InetAddresses.of(address);
    Listener[] made = new Listener[1];
    channel()
        .request(
            request ->
                new ProgramMessage.Listen(
                    request, at, address.getPort(), backlog, options.settings()),
            DaemonMessage.Listening.class,
            reply -> {
              made[0] = new Listener(this, at, reply, backlog, options);
              daemon.link().events().add(made[0]);
            });
    return made[0];
  }

  void forget(Listener listener) {
    daemon.link().events().remove(listener);
  }

  /**
   * Draws a number for queue pairs that find each other by numbers and addresses, which the
   * programs tell each other by other means.
   *
   * @throws RefusedException if a limit is reached, or the interface's {@code queue-pair-port} is 0
   */
  @CheckReturnValue
  public QueuePairNumber createNumber() {
    daemon.throwIfUnusable();
    DaemonMessage.NumberCreated created =
        channel().request(ProgramMessage.CreateNumber::new, DaemonMessage.NumberCreated.class);
    return new QueuePairNumber(this, created.number());
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
    return new Connector(this, remote, privateData, timeout, options).connect();
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
    return new Connector(this, remote, privateData, timeout, options).connectAsync();
  }

  /**
   * Passes completions of connections without a {@link CompletionQueue} to the handler. Neither
   * blocks nor allocates, unless it moves the session to another daemon ({@link Reconnect}).
   *
   * @param max largest number of completions
   * @return number of completions passed
   * @throws SessionLostException if there is no completion and the session is lost
   */
  public int poll(CompletionHandler handler, int max) {
    return completions.poll(completions.mainQueue(), handler, max);
  }

  /**
   * Gives the processor to other threads. A program that polls, for completions or for what a peer
   * writes into its memory, calls this once in 16 polls that find nothing, if there are fewer
   * processors than threads that poll, engines included. Unlike {@link Thread#yield} it gives the
   * thread short time slices first, since the kernel charges a yield the rest of one. On a machine
   * with two processors it leaves that of the engine, or joins it beside busy threads of others.
   * For any platform thread.
   *
   * <p>In a process that was started with a filter of system calls (seccomp) it is {@link
   * Thread#yield}. A filter that comes later has to allow sched_getattr(2), sched_setattr(2),
   * sched_getaffinity(2) and sched_setaffinity(2). A thread of the policy SCHED_FIFO or SCHED_RR
   * makes way for such threads only: an engine on its processor waits for up to a second. It calls
   * {@link #await} instead.
   *
   * @throws IllegalStateException if the session is closed
   */
  public void yieldProcessor() {
    daemon.throwIfClosed();
    daemon.processors().yieldProcessor();
  }

  /**
   * Creates a queue of completions for connections whose options name it. It needs no resource of
   * the daemon, and ends with the session.
   */
  @CheckReturnValue
  public CompletionQueue createCompletionQueue() {
    daemon.throwIfUnusable();
    return new CompletionQueue(completions);
  }

  /**
   * Waits for a completion of any queue, a connection request, or a change of a connection. May
   * return spuriously; returns at once while a {@link CompletionQueue} keeps unpolled completions.
   * A virtual thread that waits does not pin its carrier.
   *
   * @return false at the timeout
   * @throws SessionLostException if the session is lost
   * @throws RddpException if the thread is interrupted; it stays interrupted
   */
  public boolean await(Duration timeout) {
    daemon.throwIfEnded();
    return completions.awaitAny(timeout);
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
    return daemon.eventDescriptor();
  }

  /**
   * Makes {@link #eventDescriptor()} unreadable until the next event. For the thread that polls;
   * makes one or two system calls.
   */
  public void arm() {
    daemon.arm();
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
    daemon.throwIfUnusable();
    return new CounterReader(() ->
        Counters.open(
            channel()
                .request(ProgramMessage.OpenCounters::new, DaemonMessage.CountersOpened.class)
                .descriptor()));
  }

  /**
   * Lists objects of the daemon: those of this program's user, or of all users if this program's
   * user is root or the daemon's own, or its group is the daemon's. Each object is a consistent
   * snapshot; they are copied one after the other.
   *
   * @return one JSON object for each; the keys are in docs/ipc.md
   */
  public List<String> list(ListSubject subject) {
    daemon.throwIfUnusable();
    List<String> lines = new ArrayList<>();
    int session = 0;
    int index = 0;
    do {
      int fromSession = session;
      int fromIndex = index;
      DaemonMessage.ObjectsListed page =
          channel()
              .request(
                  request ->
                      new ProgramMessage.ListObjects(
                          request, subject.code(), fromSession, fromIndex),
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
   * @param plain whether packets in ESP are shown in clear: those that are sealed or were opened,
   *     in frames that are made for that
   * @return the frames; close it after {@link #stopCapture()}
   * @throws RefusedException if the program may not capture, or another capture is running
   */
  @CheckReturnValue
  public Capture startCapture(int ringOctets, int snapLength, boolean plain) throws IOException {
    daemon.throwIfUnusable();
    return Capture.start(
        channel(),
        request -> new ProgramMessage.StartCapture(request, ringOctets, snapLength, plain));
  }

  /**
   * Starts tracing a connection of any program on this interface into a ring: its segments, timers,
   * FPDUs, requests and the state of its congestion control, each as an event that docs/ipc.md
   * specifies. Only root and the daemon's own user may, and one program at a time on each
   * interface. A session has either a capture or a trace; {@link #stopCapture()} stops both.
   *
   * @param ringOctets size of the ring in octets, a power of two from 4 KiB to 1 GiB
   * @param number see {@link Connection#id}
   * @param process id of the process whose connection it is; 0: any, if only one has the number
   * @return the events; close it after {@link #stopCapture()}
   * @throws RefusedException if there is no such connection, or there are several
   */
  @CheckReturnValue
  public Capture startTrace(int ringOctets, int number, long process) throws IOException {
    daemon.throwIfUnusable();
    return Capture.start(
        channel(),
        request -> new ProgramMessage.StartTrace(request, ringOctets, number, (int) process));
  }

  /** Stops the capture or the trace. What is in the ring can still be read. */
  public void stopCapture() {
    daemon.throwIfUnusable();
    Capture.stop(channel());
  }

  /** The security associations of the interface: only for root and the daemon's own user. */
  public SecurityAssociations securityAssociations() {
    return new SecurityAssociations(daemon);
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
    daemon.throwIfUnusable();
    DaemonMessage.ConnectionFound found =
        channel()
            .request(
                request -> new ProgramMessage.FindConnection(request, number, (int) process),
                DaemonMessage.ConnectionFound.class);
    return new ConnectionAddresses(
        InetAddresses.address(found.localAddress(), found.localPort()),
        InetAddresses.address(found.remoteAddress(), found.remotePort()));
  }

  SessionDaemon daemon() {
    return daemon;
  }

  ControlChannel channel() {
    return daemon.channel();
  }

  ProgramRings rings() {
    return daemon.rings();
  }

  Completions completions() {
    return completions;
  }

  SessionMemory memory() {
    return memory;
  }

  /**
   * Ends the session: resets its connections and unmaps its regions. A later access to their memory
   * throws. Never throws; a second call does nothing.
   */
  @Override
  public void close() {
    daemon.close();
  }
}
