package org.rddp.tcp;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.rddp.device.CaptureSink;
import org.rddp.device.FrameDevice;
import org.rddp.group.StackGroup;
import org.rddp.group.StackMember;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.IpCounters;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Path;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;
import org.rddp.tcp.handshake.PeerAccount;
import org.rddp.tcp.storage.ConnectionEntry;
import org.rddp.tcp.storage.TcpConnectionTable;

/**
 * TCP over one device, driven by one thread that calls {@link #receive}, {@link #advance} and
 * {@link #transmit} in a loop. The caller supplies the time in nanoseconds, from any origin and
 * never decreasing. All upcalls are made from within these methods or the user's own calls.
 */
public final class TcpStack implements AutoCloseable {
  private static final int FIRST_EPHEMERAL_PORT = StackMember.FIRST_EPHEMERAL_PORT;
  private static final int EPHEMERAL_PORTS = 65536 - FIRST_EPHEMERAL_PORT;

  /** The number of most recent ports that are not used again if others are free. */
  private static final int RECENT = 64;

  final StackContext context;
  private final StackMember member;
  private final IpSecurity security;
  private final RandomGenerator random;
  private final int[] recentPorts = new int[RECENT];

  /** Connections from ephemeral ports. */
  private int connects;

  private final Map<Integer, TcpListener> listeners = new HashMap<>();

  /**
   * Creates a stack without connections.
   *
   * @param device that frames come from and go to; the caller closes it
   * @param address ours on its link
   * @param settings of every connection
   * @param random source of keys, sequence numbers and ports; unpredictable, except in a simulation
   * @param now the time in nanoseconds
   */
  public TcpStack(
      FrameDevice device,
      InterfaceAddress address,
      TcpSettings settings,
      RandomGenerator random,
      long now) {
    this(device, address, settings, StackGroup.alone(), random, now);
  }

  /**
   * Creates a stack without connections on one queue of a device.
   *
   * @param device the queue; the caller closes it
   * @param member its place among the stacks of the interface, whose packets it must be able to
   *     read and release
   */
  public TcpStack(
      FrameDevice device,
      InterfaceAddress address,
      TcpSettings settings,
      StackMember member,
      RandomGenerator random,
      long now) {
    this(device, address, settings, member, null, random, now);
  }

  /**
   * Creates a stack without connections whose traffic is under a security policy.
   *
   * @param device the queue; the caller closes it
   * @param member its place among the stacks of the interface
   * @param security of the interface for this stack; null for none
   */
  public TcpStack(
      FrameDevice device,
      InterfaceAddress address,
      TcpSettings settings,
      StackMember member,
      IpSecurity security,
      RandomGenerator random,
      long now) {
    this.member = member;
    this.security = security;
    this.random = random;
    context = new StackContext(device, address, settings, random, listeners, member, security, now);
  }

  /** Sets the receiver of exceptions of handlers; they are counted in any case. */
  public void reportFailuresTo(Consumer<Throwable> sink) {
    context.failures = sink;
  }

  /** Sets the handler of expired retransmission timers; they are counted in any case. */
  public void reportTimeoutsTo(TimeoutHandler handler) {
    context.timeouts = handler;
  }

  /** Sets the receiver of lines about the link: {@link IpLayer#reportTo}. */
  public void reportNeighboursTo(Consumer<String> sink) {
    context.ip.reportTo(sink);
  }

  /**
   * Traces one connection, instead of an earlier one. Until {@link #endTrace}, each segment of
   * every connection costs one more comparison.
   */
  public void trace(TcpConnection connection, TcpTraceHandler handler) {
    context.trace = new TcpTrace(connection, handler);
  }

  /** Ends the trace, if there is one. */
  public void endTrace() {
    context.trace = null;
  }

  /**
   * Processes one burst of the device through ARP, IP, ICMP and TCP, upcalls included, and one
   * burst of frames that we have sent to our own address.
   *
   * @return frames processed
   */
  public int receive(long time) {
    context.now = time;
    context.refreshTrains();
    return context.ip.receive(time);
  }

  /**
   * Runs the timers that are due at the given time.
   *
   * @return how many fired
   */
  public int advance(long time) {
    context.now = time;
    return context.ip.advance(time) + serveTimers(time);
  }

  private int serveTimers(long time) {
    int fired = 0;
    ConnectionEntry due = context.wheel.poll(time);
    while (due != null) {
      if (expired((TcpConnection) due, time)) {
        fired++;
      }
      due = context.wheel.poll(time);
    }
    return fired;
  }

  private boolean expired(TcpConnection connection, long time) {
    try {
      return context.timers.advance(connection, time);
    } catch (Throwable failure) {
      context.failed(connection, failure);
      return true;
    }
  }

  /**
   * Sends pending acknowledgments and hands everything queued to the device.
   *
   * @return the frames that the device took, plus those to our own address that wait to be received
   */
  public int transmit(long time) {
    context.now = time;
    if (context.paces && context.wheel.nextDeadline() <= time) {
      serveTimers(time);
    }
    context.flushQueue.flush(context);
    return context.ip.transmit();
  }

  /**
   * Creates a prefetch for users that know on which connections they are about to send.
   *
   * @param most the connections of a burst
   */
  public BurstPrefetch prefetch(int most) {
    return new BurstPrefetch(context, most);
  }

  /** Whether frames wait until the device takes them. */
  public boolean hasUnsentFrames() {
    return context.ip.hasUnsentFrames();
  }

  /** The time in nanoseconds that was last passed in. */
  public long now() {
    return context.now;
  }

  /** Announces our address on the link: at the start, and when the link has come up. */
  public void announce(long time) {
    context.now = time;
    context.ip.announce(time);
  }

  /**
   * The earliest time at which {@link #advance} or {@link #transmit} may have work; {@link
   * Long#MAX_VALUE} for never, {@link Long#MIN_VALUE} if {@link #receive} has work now.
   */
  public long nextDeadline() {
    long timer = Math.min(context.wheel.nextDeadline(), context.ip.nextDeadline());
    return context.flushQueue.isEmpty()
        ? timer
        : Math.min(timer, context.now + context.settings.acknowledgmentDelay());
  }

  /**
   * Accepts connections on a port.
   *
   * @param port 1 to 65535
   * @throws IllegalStateException if the port has a listener
   */
  public TcpListener listen(int port, Acceptor acceptor) {
    return listen(port, false, acceptor);
  }

  /**
   * Accepts connections on a port at which every stack of the interface listens this way. The stack
   * that gets a connection is chosen by the peer's port: {@link StackMember#isOfRemotePort}.
   *
   * @param port 1 to 65535
   * @throws IllegalStateException if the port has a listener
   */
  public TcpListener listenShared(int port, Acceptor acceptor) {
    return listen(port, true, acceptor);
  }

  private TcpListener listen(int port, boolean shared, Acceptor acceptor) {
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port " + port + " is not 1 to 65535");
    }
    if (listeners.containsKey(port)) {
      throw new IllegalStateException("port " + port + " has a listener");
    }
    TcpListener listener =
        new TcpListener(listeners, member, port, shared, acceptor, context.settings.backlog());
    listeners.put(port, listener);
    member.listen(port);
    return listener;
  }

  /** The open listener at a port; null if there is none. */
  public TcpListener listener(int port) {
    return listeners.get(port);
  }

  /** The settings of its connections. */
  public TcpSettings settings() {
    return context.settings;
  }

  /** Whether a listener that may choose any port may choose this one. */
  public boolean mayChoose(int port) {
    return member.isOfShare(port);
  }

  /**
   * Opens a connection from an ephemeral port. The remote address may be our own: then both ends
   * are in this stack. {@link StreamHandler#onOpen} or {@link StreamHandler#onClosed} follows,
   * never from within this call.
   *
   * @throws IllegalStateException if there is no route to the address, or no port or no room for a
   *     connection is left
   */
  public TcpConnection connect(HostAddress remote, int port, StreamHandler handler) {
    return connect(remote, port, handler, connection -> {});
  }

  /**
   * Opens a connection whose choices, such as {@link TcpConnection#dscp}, hold for its SYN, too.
   * Otherwise like {@link #connect(HostAddress, int, StreamHandler)}.
   *
   * @param choices called before anything is sent
   */
  public TcpConnection connect(
      HostAddress remote, int port, StreamHandler handler, Consumer<TcpConnection> choices) {
    Path path = path(remote);
    checkLimits(path);
    return connect(path, ephemeralKey(path, port, local -> true), handler, choices);
  }

  /**
   * Opens a connection to a port at which the stacks of the peer's interface listen with {@link
   * #listenShared}. Otherwise like {@link #connect(HostAddress, int, StreamHandler)}.
   *
   * @param group of the local port, which chooses the peer's stack: {@link StackMember#group}
   */
  public TcpConnection connectShared(
      HostAddress remote, int port, int group, StreamHandler handler) {
    Path path = path(remote);
    checkLimits(path);
    long key = ephemeralKey(path, port, local -> StackMember.group(local) == group);
    return connect(path, key, handler);
  }

  /**
   * Opens a connection from a given port, as in a simultaneous open (RFC 9293 section 3.5, figure
   * 7). Otherwise like {@link #connect(HostAddress, int, StreamHandler)}. A connection from a port
   * at our own address to the same port is its own peer. If the interface has several stacks, this
   * one receives the port's segments, as if it listened there.
   *
   * @param localPort 1 to 65535, without a listener
   * @throws IllegalStateException as there, or if the port is in use
   */
  public TcpConnection connect(HostAddress remote, int port, int localPort, StreamHandler handler) {
    Path path = path(remote);
    checkLimits(path);
    long key = TcpConnectionTable.key(path.number(), port, localPort);
    if (context.connections.get(key) != null
        || listeners.containsKey(localPort)
        || !claim(path, port, localPort)) {
      throw new IllegalStateException("local port " + localPort + " is in use");
    }
    member.own(localPort);
    return connect(path, key, handler);
  }

  /**
   * Opens a connection that is its own peer, from an ephemeral port at an address of ours to that
   * port (RFC 9293 section 3.5). Otherwise like {@link #connect(HostAddress, int, StreamHandler)}.
   */
  public TcpConnection connectToItself(HostAddress own, StreamHandler handler) {
    Path path = path(own);
    checkLimits(path);
    int start = random.nextInt(EPHEMERAL_PORTS);
    for (int i = 0; i < EPHEMERAL_PORTS; i++) {
      int port = ephemeralPort(start + i);
      if (take(path, port, port)) {
        return connect(path, TcpConnectionTable.key(path.number(), port, port), handler);
      }
    }
    throw noPortLeft(own + " itself");
  }

  private Path path(HostAddress remote) {
    if (!remote.unicast()) {
      throw new NoRouteException(remote + " is not the address of one host");
    }
    Path path = context.ip.path(remote);
    if (path == null) {
      throw new NoRouteException(unreachable(remote));
    }
    return path;
  }

  private boolean claim(Path path, int remotePort, int localPort) {
    return member.claim(member.slot(path.hash(), remotePort, localPort));
  }

  private static String unreachable(HostAddress remote) {
    String family = remote instanceof Ipv4Address ? "IPv4" : "IPv6";
    return remote
        + " is "
        + family
        + ", and the interface has no "
        + family
        + " address: connect to another address of the host, or give the interface one";
  }

  private void checkLimits(Path path) {
    if (!path.reaches()) {
      throw new NoRouteException(
          path.remote() + " is not in the interface's network, and there is no gateway");
    }
    if (context.peers.connections() >= context.settings.connections()) {
      throw new IllegalStateException(
          "the limit of " + context.settings.connections() + " connections is reached");
    }
    if (!context.peers.mayConnect(path)) {
      throw new IllegalStateException(
          "the limit of "
              + context.settings.peerConnections()
              + " connections with "
              + path.remote()
              + " is reached");
    }
  }

  /** Opens a connection from a claimed port. */
  private TcpConnection connect(Path path, long key, StreamHandler handler) {
    return connect(path, key, handler, connection -> {});
  }

  private TcpConnection connect(
      Path path, long key, StreamHandler handler, Consumer<TcpConnection> choices) {
    PeerAccount peer = context.peers.addConnection(path);
    if (peer == null) {
      member.release(member.slot(path.hash(), (int) (key >>> 16) & 0xffff, (int) key & 0xffff));
      throw new IllegalStateException("too many neighbours are in use for " + path.remote());
    }
    int sequence =
        context.secrets.initialSequence(context.secrets.identity(path, key), context.now);
    TcpConnection connection = new TcpConnection(context, key, peer, null, handler, sequence);
    choices.accept(connection);
    context.connections.add(connection);
    context.handshake.sendSyn(connection);
    return connection;
  }

  /**
   * Claims a random port that is free towards a peer (RFC 6056 section 3.3.1); returns the
   * connection's key. If the interface has several stacks, each uses the ports whose answers come
   * to its own queue. If that cannot be predicted, or no such port is free, it uses those of its
   * share; if none of these is allowed, any that is.
   *
   * @param allowed which ports may be chosen; at least one
   */
  private long ephemeralKey(Path path, int port, IntPredicate allowed) {
    IntPredicate ours = path.foretells() ? local -> path.receives(port, local) : member::isOfShare;
    IntPredicate chosen =
        Stream.of(allowed.and(ours), allowed.and(member::isOfShare))
            .filter(each -> IntStream.range(FIRST_EPHEMERAL_PORT, 65536).anyMatch(each))
            .findFirst()
            .orElse(allowed);
    int local = freePort(path, port, chosen);
    if (local == 0) {
      throw noPortLeft(path.remote().withPort(port));
    }
    recentPorts[connects++ & (RECENT - 1)] = local;
    return TcpConnectionTable.key(path.number(), port, local);
  }

  private static IllegalStateException noPortLeft(String peer) {
    return new IllegalStateException("no local port is left towards " + peer);
  }

  /**
   * Claims and returns the first free port from a random one on; 0 if there is none. Ports used
   * recently, with which the peer may still have a connection, are taken only if no other is free.
   */
  private int freePort(Path path, int port, IntPredicate ours) {
    int start = random.nextInt(EPHEMERAL_PORTS);
    int fresh = freePort(path, port, start, local -> ours.test(local) && !isRecent(local));
    return fresh == 0 ? freePort(path, port, start, ours) : fresh;
  }

  private int freePort(Path path, int port, int start, IntPredicate wanted) {
    for (int i = 0; i < EPHEMERAL_PORTS; i++) {
      int local = ephemeralPort(start + i);
      boolean itself = local == port && path.toUs();
      if (!itself && wanted.test(local) && take(path, port, local)) {
        return local;
      }
    }
    return 0;
  }

  private static int ephemeralPort(int index) {
    return FIRST_EPHEMERAL_PORT + index % EPHEMERAL_PORTS;
  }

  /** Claims a local port towards a peer; false if it is in use. */
  private boolean take(Path path, int port, int local) {
    return context.connections.get(TcpConnectionTable.key(path.number(), port, local)) == null
        && !listeners.containsKey(local)
        && !member.hasListener(local)
        && claim(path, port, local);
  }

  private boolean isRecent(int port) {
    for (int each : recentPorts) {
      if (each == port) {
        return true;
      }
    }
    return false;
  }

  /**
   * Passes the frames from us to our own address, which the device does not see, to a sink.
   *
   * @param sink receives each frame once, with the time passed to {@link #receive}; null to stop
   */
  public void captureLooped(CaptureSink sink) {
    context.ip.captureLooped(sink);
  }

  /** Passes what is sealed and opened to a sink, in clear: {@link IpLayer#capturePlain}. */
  public void capturePlain(CaptureSink sink) {
    context.ip.capturePlain(sink);
  }

  /** The counters of TCP. */
  public TcpCounters counters() {
    return context.counters;
  }

  /** The counters of IP and ARP. */
  public IpCounters ipCounters() {
    return context.ip.counters();
  }

  /** The security policy and its associations; null if there is none. */
  public IpSecurity security() {
    return security;
  }

  /** Number of connections, those in TIME-WAIT included. */
  public int connections() {
    return context.connections.size();
  }

  /** Whether less than an eighth of the interface's limit of connections is left. */
  public boolean isNearlyFull() {
    int most = context.settings.connections();
    return context.peers.connections() > most - most / 8;
  }

  /** Packets that connections keep: unacknowledged, or received out of order. */
  public int packetsHeld() {
    return context.sentPackets.used() + trainsHeld() + context.earlyPackets.used();
  }

  /** Long packets that connections keep because they are unacknowledged. */
  public int trainsHeld() {
    return context.sentTrains.used();
  }

  /** Resets every connection and releases every packet. The stack must not be used afterwards. */
  @Override
  public void close() {
    List.copyOf(listeners.values()).forEach(TcpListener::close);
    for (TcpConnection connection : context.connections.snapshot()) {
      connection.abort();
      connection.terminate(CloseReason.ABORTED);
    }
    context.flushQueue.clear();
    context.ip.close();
  }

  /**
   * Writes all of its state to a snapshot, between two turns of the duty cycle. Afterwards only
   * {@link #retire} may follow, or, if no other stack goes on, anything.
   *
   * @return the connections in the order in which they are written
   */
  public List<TcpConnection> write(SnapshotWriter snapshot) {
    return transfer(snapshot);
  }

  /**
   * Takes the state of another stack from a snapshot: goes on with its listeners and connections.
   * This one must be new, with the same addresses, the same place among the stacks of the interface
   * and a clock that goes on; with a security policy, its {@link org.rddp.ip.AssociationDatabase}
   * must have been read. Each connection and each listener needs its user: {@link
   * TcpConnection#resume}, {@link TcpListener#resume}. After an exception the stack must be
   * {@linkplain #retire retired}.
   *
   * @param time in nanoseconds, after the snapshot was written
   * @return the connections in the order in which they were written
   * @throws org.rddp.snapshot.SnapshotException if the snapshot is not what another stack writes,
   *     or this one has no room for it
   */
  public List<TcpConnection> read(SnapshotReader snapshot, long time) {
    context.now = time;
    return transfer(snapshot);
  }

  private List<TcpConnection> transfer(Snapshot snapshot) {
    snapshot.begin(TcpStack.class);
    connects = snapshot.number("connects", connects);
    snapshot.numbers("recentPorts", recentPorts, RECENT);
    StackTransfer transfer = new StackTransfer(context, snapshot);
    transfer.shared();
    List<TcpConnection> connections = transfer.connections();
    snapshot.end();
    return connections;
  }

  /**
   * Releases every packet without ending a connection, since another stack goes on with them.
   * Queued frames are still passed to the device, and keys of ESP overwritten. Neither the stack
   * nor its connections may be used afterwards.
   */
  public void retire() {
    context.flushQueue.clear();
    for (TcpConnection connection : context.connections.snapshot()) {
      connection.retire();
    }
    context.flushQueue.clear();
    if (security != null) {
      security.retire();
    }
    context.ip.close();
  }

  /** Packets that wait, and would be lost if another stack went on now. */
  public int packetsWaiting() {
    return context.ip.packetsWaiting();
  }
}
