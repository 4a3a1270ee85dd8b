package org.rddp.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.rddp.client.types.Access;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SessionLimits;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SignalReceiver;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.CaptureRing;
import org.rddp.ipc.ring.Counters;
import org.rddp.ipc.ring.ProgramRings;

/**
 * A session with the daemon, the entry point of a program.
 *
 * <p>In terms of verbs, a session is a context, a protection domain and a completion channel in
 * one; a {@link MemoryRegion} is an {@code ibv_mr}, a {@link MemoryWindow} an {@code ibv_mw} of
 * type 2, a {@link Connection} a queue pair with its {@code rdma_cm_id}; the {@code post} methods
 * are {@code ibv_post_send} and {@code ibv_post_recv}, {@link #poll} is {@code ibv_poll_cq}.
 *
 * <p>{@link #poll}, {@link #await} and the connections' {@code post} methods are for one thread at
 * a time; all other methods are thread-safe. A daemon thread of the session watches the control
 * socket: when the daemon dies, waiting threads wake up and every call throws {@link
 * SessionLostException}.
 */
public final class Rddp implements AutoCloseable {
  private static final Duration CONNECT_MARGIN = Duration.ofSeconds(5);
  private static final int DEFAULT_BACKLOG = 128;

  private final ControlSocket socket;
  private final ControlChannel channel;
  private final Arena arena = Arena.ofShared();
  private final PollSet completionEvent = new PollSet();
  private final ConnectionTable connections = new ConnectionTable();
  private final EventFd wake;
  private final ObjectTable<MemoryWindow> windows = new ObjectTable<>();
  private final ObjectTable<SharedReceiveQueue> receiveQueues = new ObjectTable<>();
  private final SessionEvents events;
  private final SessionMemory memory;
  private DaemonMessage.Welcome welcome;
  private SharedMemory ringMemory;
  private ProgramRings rings;
  private Completions completions;
  private SignalReceiver signals;
  private volatile boolean closed;

  private Rddp(ControlSocket socket, Duration requestTimeout) throws IOException {
    this.socket = socket;
    this.wake = EventFd.create();
    this.events = new SessionEvents(this, connections, receiveQueues, wake);
    this.channel = new ControlChannel(socket, requestTimeout);
    this.memory = new SessionMemory(this, channel);
  }

  /**
   * The default path of the daemon's socket: {@code $RDDP_SOCKET}, or {@code /run/rddp/rddpd.sock}.
   */
  public static Path defaultSocket() {
    String configured = System.getenv("RDDP_SOCKET");
    return Path.of(configured == null ? "/run/rddp/rddpd.sock" : configured);
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
    ControlSocket control;
    Rddp session;
    try {
      control =
          ControlSocket.connect(socket, TimedWait.bounded(options.requestTimeout()).toNanos());
    } catch (SystemCallException e) {
      throw new DaemonUnavailableException(advice(socket, e), e);
    }
    try {
      session = new Rddp(control, options.requestTimeout());
    } catch (IOException e) {
      control.close();
      throw new DaemonUnavailableException("no session: " + e.getMessage(), e);
    }
    try {
      session.open(options);
      return session;
    } catch (RefusedException e) {
      session.close();
      if (e.reason() == Reason.VERSION) {
        throw new DaemonUnavailableException(
            "the daemon at %s has another release than this program (control protocol %d): %s"
                .formatted(socket, ControlMessage.VERSION, e.getMessage()),
            e);
      }
      throw e;
    } catch (IOException | RuntimeException e) {
      session.close();
      throw new DaemonUnavailableException(
          "no session with the daemon at " + socket + ": " + e.getMessage(), e);
    }
  }

  private static String advice(Path socket, SystemCallException e) {
    return switch (e.errno()) {
      case Errno.ENOENT ->
          "there is no daemon socket at "
              + socket
              + ": start the daemon (bin/rddp daemon), or give the path of its socket";
      // connect(2) reports ECONNREFUSED for a plain file, too.
      case Errno.ECONNREFUSED ->
          Files.isRegularFile(socket) || Files.isDirectory(socket)
              ? notASocket(socket)
              : "no daemon answers at "
                  + socket
                  + ", although its socket exists: start the daemon (bin/rddp daemon)";
      case Errno.EACCES, Errno.EPERM ->
          "you may not use the daemon at "
              + socket
              + ": writing that socket needs the user or the group that the daemon's configuration"
              + " names";
      case Errno.EPROTOTYPE, Errno.ENOTSOCK -> notASocket(socket);
      case Errno.EAGAIN ->
          "the daemon at " + socket + " has not accepted the connection in time: try again later";
      case Errno.ENOTDIR ->
          socket + " has a component that is not a directory: give the path of the daemon's socket";
      default -> "no daemon at " + socket + ": " + e.getMessage();
    };
  }

  private static String notASocket(Path socket) {
    return socket + " is not the socket of an rddp daemon: give another path";
  }

  private void open(RddpOptions options) throws IOException {
    channel.start(events);
    welcome =
        channel.request(
            request ->
                new ProgramMessage.Hello(
                    request,
                    ControlMessage.VERSION,
                    options.programName(),
                    options.interfaceName()),
            DaemonMessage.Welcome.class);
    signals = new SignalReceiver(welcome.event());
    ringMemory = SharedMemory.map(welcome.rings());
    memory.share(ProgramMessage.ShareMemory.RINGS, ringMemory);
    rings = new ProgramRings(ringMemory.segment(arena));
    completions = new Completions(this, rings, connections, windows, receiveQueues);
    completionEvent.add(signals.descriptor());
    completionEvent.add(wake.descriptor());
  }

  /** The limits of this session. */
  public SessionLimits limits() {
    return welcome.limits();
  }

  /** The name of the daemon's interface that this session uses. */
  public String interfaceName() {
    return welcome.interfaceName();
  }

  /** The interface's address. */
  public InetAddress address() {
    return InetAddresses.address(welcome.address());
  }

  /** The daemon's process id, as reported by the kernel. */
  public long daemonPid() {
    return socket.peer().pid();
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
    throwIfUnusable();
    return memory.allocate(octets, Access.bits(rights));
  }

  /**
   * Registers the program's own memory.
   *
   * @param descriptor a memfd whose size is sealed, without F_SEAL_SEAL, not on huge pages. This
   *     method adds F_SEAL_FUTURE_WRITE: processes that write it must have mapped it before. The
   *     caller keeps the descriptor and may close it
   * @throws IOException if the memory cannot be shared safely
   */
  @CheckReturnValue
  public MemoryRegion register(Descriptor descriptor, Access... rights) throws IOException {
    throwIfUnusable();
    return memory.adopt(descriptor, Access.bits(rights));
  }

  /**
   * Allocates a memory window, which can be bound to one part of a region at a time. It counts as a
   * region.
   *
   * @throws RefusedException if a limit is reached
   */
  @CheckReturnValue
  public MemoryWindow allocateWindow() {
    throwIfUnusable();
    MemoryWindow[] made = new MemoryWindow[1];
    channel.request(
        ProgramMessage.AllocateWindow::new,
        DaemonMessage.WindowAllocated.class,
        reply -> {
          made[0] = new MemoryWindow(this, reply.window(), reply.stag());
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
    throwIfUnusable();
    SharedReceiveQueue[] made = new SharedReceiveQueue[1];
    channel.request(
        request -> new ProgramMessage.CreateReceiveQueue(request, size),
        DaemonMessage.ReceiveQueueCreated.class,
        reply -> {
          made[0] = new SharedReceiveQueue(this, reply.queue(), size);
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
    int bits = InetAddresses.bits(address);
    Listener[] made = new Listener[1];
    channel.request(
        request ->
            new ProgramMessage.Listen(
                request, bits, address.getPort(), backlog, options.settings()),
        DaemonMessage.Listening.class,
        reply -> {
          made[0] = new Listener(this, reply, options);
          events.add(made[0]);
        });
    return made[0];
  }

  void forget(Listener listener) {
    events.remove(listener);
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
    int bits = InetAddresses.bits(remote);
    int millis = Math.clamp(TimedWait.bounded(timeout).toMillis(), 1, Integer.MAX_VALUE);
    Connection[] made = new Connection[1];
    channel.request(
        request ->
            new ProgramMessage.Connect(
                request, 0, bits, remote.getPort(), millis, options.settings(), privateData),
        DaemonMessage.Connecting.class,
        reply -> {
          made[0] = new Connection(this, reply.connection(), options);
          made[0].state().connectTo(remote);
          connections.add(made[0]);
        });
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
   * Passes completions to the handler: those of connections without a {@link CompletionQueue} of
   * their own. Neither blocks nor allocates.
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
   * return spuriously; returns at once while a {@link CompletionQueue} keeps what was not polled.
   * Not for virtual threads: the wait would pin the carrier thread.
   *
   * @return false at the timeout
   * @throws SessionLostException if the session is lost
   */
  public boolean await(Duration timeout) {
    throwIfUnusable();
    return completions.isAnyKept() || awaitRing(timeout);
  }

  /** The same, without regard to completions that have been read and kept. */
  boolean awaitRing(Duration timeout) {
    if (!rings.requestSignal()) {
      return true;
    }
    // Prevents close() from closing the descriptors during the wait.
    synchronized (completionEvent) {
      throwIfUnusable();
      boolean signalled = awaitEvent(timeout);
      throwIfUnusable();
      return signalled;
    }
  }

  private boolean awaitEvent(Duration timeout) {
    try {
      boolean signalled = completionEvent.await(TimedWait.bounded(timeout).toNanos()) > 0;
      if (signalled) {
        signals.clear();
        wake.clear();
      }
      return signalled;
    } catch (SystemCallException e) {
      throw new RddpException("the wait for completions failed: " + e.getMessage(), e);
    }
  }

  /** Opens the daemon's counters for reading. Close them after use. */
  @CheckReturnValue
  public Counters openCounters() throws IOException {
    throwIfUnusable();
    return Counters.open(
        channel
            .request(ProgramMessage.OpenCounters::new, DaemonMessage.CountersOpened.class)
            .descriptor());
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
   * Starts copying every frame of the interface. Only root and the daemon's own user may.
   *
   * @param ringOctets size of the ring in octets, a power of two from 4 KiB to 1 GiB
   * @param snapLength octets kept of each frame, 1 to 65535
   * @return the ring; close it after {@link #stopCapture()}
   */
  @CheckReturnValue
  public CaptureRing startCapture(int ringOctets, int snapLength) throws IOException {
    throwIfUnusable();
    CaptureRing ring =
        CaptureRing.open(
            channel
                .request(
                    request -> new ProgramMessage.StartCapture(request, ringOctets, snapLength),
                    DaemonMessage.CaptureStarted.class)
                .descriptor());
    try {
      memory.share(ProgramMessage.ShareMemory.CAPTURE, ring.memory());
      return ring;
    } catch (IOException | RuntimeException e) {
      ring.close();
      try {
        stopCapture();
      } catch (RuntimeException notStopped) {
        e.addSuppressed(notStopped);
      }
      throw e;
    }
  }

  /** Stops the capture. Frames already in the ring can still be read. */
  public void stopCapture() {
    throwIfUnusable();
    channel.request(ProgramMessage.StopCapture::new, DaemonMessage.Done.class);
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
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    if (welcome != null && channel.lost() == null) {
      try {
        channel.request(ProgramMessage.CloseSession::new, DaemonMessage.Done.class);
      } catch (RddpException e) {
        // Closing the socket ends the session in the daemon, too.
        socket.close();
      }
    }
    channel.close();
    memory.close();
    arena.close();
    if (ringMemory != null) {
      ringMemory.close();
    }
    wake.signal();
    synchronized (completionEvent) {
      if (signals != null) {
        signals.close();
      }
      wake.close();
    }
  }
}
