package org.rddp.tcp;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.IpCounters;
import org.rddp.ip.IpLayer;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.handshake.KeyedHash;
import org.rddp.tcp.handshake.PeerAccount;
import org.rddp.tcp.handshake.Peers;
import org.rddp.tcp.storage.ChallengeLimit;
import org.rddp.tcp.storage.ConnectionEntry;
import org.rddp.tcp.storage.EarlyRangesPool;
import org.rddp.tcp.storage.PacketBudget;
import org.rddp.tcp.storage.TimerWheel;
import org.rddp.wire.TcpOptions;

/**
 * TCP over one device, driven by one thread that calls {@link #receive}, {@link #advance} and
 * {@link #transmit} in turn. Time is what the caller says it is: nanoseconds from any origin, never
 * going back. All upcalls come from within these methods, or from within the user's own calls.
 */
public final class TcpStack implements AutoCloseable {
  /** The MSS of a peer that states none (RFC 9293 section 3.7.1). */
  static final int DEFAULT_MSS = 536;

  /** The least MSS that is believed: 68 octets for IP, less its header and TCP's. */
  static final int SMALLEST_MSS = 28;

  /** What the timestamps option takes from each segment. */
  static final int TIMESTAMP_OCTETS = TcpOptions.TIMESTAMPS_LENGTH;

  private static final int FIRST_EPHEMERAL_PORT = 49152;
  private static final int EPHEMERAL_PORTS = 65536 - FIRST_EPHEMERAL_PORT;

  /** The clock of initial sequence numbers ticks every 4 microseconds (RFC 6528 section 3). */
  private static final long SEQUENCE_TICK = 4000;

  private static final long TIMESTAMP_TICK = 1_000_000;

  private final PacketPool pool;
  private final TcpSettings settings;
  private final RandomGenerator random;
  private final TcpCounters counters = new TcpCounters();
  private final TcpConnectionTable connections;
  private final TimerWheel wheel;
  private final ChallengeLimit challenges;
  private final Map<Integer, TcpListener> listeners = new HashMap<>();
  private final EarlyRangesPool earlyRanges = new EarlyRangesPool();
  private final KeyedHash hash;
  private final SegmentOutput output;
  private final StackContext sending;
  private final Upcalls upcalls = new Upcalls(this);
  private final Handshake opening;
  private final ConnectionTimers timers;
  private final SegmentSizes sizes = new SegmentSizes(this);
  private final IpLayer ip;
  private final Peers peers;
  private final PacketBudget sentPackets;
  private final PacketBudget earlyPackets;
  private Consumer<Throwable> failures = failure -> {};
  private TcpConnection[] pending = new TcpConnection[16];
  private TcpConnection[] flushing = new TcpConnection[16];
  private int pendingCount;
  private TcpConnection[] awaitingPackets = new TcpConnection[16];
  private int awaitingPacketsCount;
  private long now;

  /**
   * A stack without connections.
   *
   * @param device where frames come and go; it stays the caller's to close
   * @param address our address on its link
   * @param settings how to behave
   * @param random where keys, sequence numbers and ports come from; unpredictable, but in a
   *     simulation
   * @param now the time in nanoseconds
   */
  public TcpStack(
      FrameDevice device,
      InterfaceAddress address,
      TcpSettings settings,
      RandomGenerator random,
      long now) {
    this.settings = settings;
    this.random = random;
    this.now = now;
    wheel = new TimerWheel(now);
    challenges = new ChallengeLimit(random, settings.challengeAcknowledgments());
    pool = device.pool();
    // The rest is for what comes in, for acknowledgments, and for what the device holds.
    sentPackets = new PacketBudget(pool.capacity() / 2);
    earlyPackets = new PacketBudget(pool.capacity() / 4);
    hash = new KeyedHash(random);
    connections = new TcpConnectionTable(random.nextLong());
    SegmentInput input = new SegmentInput(this, connections);
    ip = new IpLayer(device, address, input);
    output = new SegmentOutput(this, ip, pool, settings);
    sending = new StackContext(output, pool, counters, settings);
    StatelessOutput strangers = new StatelessOutput(ip, pool, counters, settings);
    peers = new Peers(settings, ip);
    opening = new Handshake(this, output, strangers, settings);
    timers = new ConnectionTimers(this, output, settings);
    input.connect(ip, strangers, new Admission(this, connections, peers, strangers, random));
  }

  /** Where what handlers throw goes, besides the counter; nowhere at first. */
  public void reportFailuresTo(Consumer<Throwable> sink) {
    failures = sink;
  }

  /**
   * Takes one burst from the device through ARP, IP, ICMP and TCP, upcalls included.
   *
   * @return frames handled
   */
  public int receive(long time) {
    now = time;
    return ip.receive(time);
  }

  /**
   * Does what is due by the given time.
   *
   * @return how many timers fired
   */
  public int advance(long time) {
    now = time;
    int fired = ip.advance(time);
    ConnectionEntry timed = wheel.poll(time);
    while (timed != null) {
      if (expired((TcpConnection) timed, time)) {
        fired++;
      }
      timed = wheel.poll(time);
    }
    return fired;
  }

  private boolean expired(TcpConnection connection, long time) {
    try {
      return timers.advance(connection, time);
    } catch (Throwable failure) {
      failed(connection, failure);
      return true;
    }
  }

  /**
   * Sends the acknowledgments that are owed, and hands everything queued to the device.
   *
   * @return frames that the device took
   */
  public int transmit(long time) {
    now = time;
    TcpConnection[] due = pending;
    int count = pendingCount;
    pending = flushing;
    pendingCount = 0;
    flushing = due;
    for (int i = 0; i < count; i++) {
      TcpConnection connection = due[i];
      due[i] = null;
      flush(connection);
    }
    return ip.transmit();
  }

  /** Tells the link where our address is: at the start, and when the link has come up. */
  public void announce(long time) {
    now = time;
    ip.announce(time);
  }

  private void flush(TcpConnection connection) {
    try {
      connection.flush();
    } catch (Throwable failure) {
      failed(connection, failure);
    }
  }

  /**
   * Something has gone wrong while a connection was looked after: that one ends, the others go on.
   */
  void failed(TcpConnection connection, Throwable failure) {
    counters.handlerFailures++;
    try {
      connection.abort();
      failures.accept(failure);
    } catch (Throwable another) {
      // Nothing is left to tell it to; what matters is the others' turn.
      counters.handlerFailures++;
    }
  }

  /**
   * The earliest time at which {@link #advance} or {@link #transmit} may have work; {@link
   * Long#MAX_VALUE} for none.
   */
  public long nextDeadline() {
    long timer = Math.min(wheel.nextDeadline(), ip.nextDeadline());
    return pendingCount == 0 ? timer : Math.min(timer, now + settings.acknowledgmentDelay());
  }

  /**
   * Accepts connections on a port.
   *
   * @param port 1 to 65535
   * @throws IllegalStateException when the port has a listener
   */
  public TcpListener listen(int port, Acceptor acceptor) {
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port " + port + " is not 1 to 65535");
    }
    if (listeners.containsKey(port)) {
      throw new IllegalStateException("port " + port + " has a listener");
    }
    TcpListener listener = new TcpListener(this, port, acceptor, settings.backlog());
    listeners.put(port, listener);
    return listener;
  }

  /**
   * Opens a connection from an ephemeral port. Its handler hears {@link StreamHandler#onOpen} or
   * {@link StreamHandler#onClosed}, never from within this call.
   *
   * @throws IllegalStateException when the address cannot be reached from here, or no port or no
   *     place for a connection is left
   */
  public TcpConnection connect(Ipv4Address remote, int port, StreamHandler handler) {
    checkLimits(remote);
    return connect(remote, ephemeralKey(remote, port), handler);
  }

  /**
   * Opens a connection from a given port, as two ends do that open one at once (RFC 9293 section
   * 3.5, figure 7). Otherwise as {@link #connect(Ipv4Address, int, StreamHandler)}.
   *
   * @param localPort 1 to 65535, one that nobody listens on
   * @throws IllegalStateException as there, or when the port is in use
   */
  public TcpConnection connect(Ipv4Address remote, int port, int localPort, StreamHandler handler) {
    checkLimits(remote);
    long key = TcpConnectionTable.key(remote.bits(), port, localPort);
    if (connections.get(key) != null || listeners.containsKey(localPort)) {
      throw new IllegalStateException("local port " + localPort + " is in use");
    }
    return connect(remote, key, handler);
  }

  private void checkLimits(Ipv4Address remote) {
    if (connections.size() >= settings.connections()) {
      throw new IllegalStateException(
          "the limit of " + settings.connections() + " connections is reached");
    }
    if (!peers.mayConnect(remote.bits())) {
      throw new IllegalStateException(
          "the limit of "
              + settings.peerConnections()
              + " connections with "
              + remote
              + " is reached");
    }
  }

  private TcpConnection connect(Ipv4Address remote, long key, StreamHandler handler) {
    checkRoute(remote);
    PeerAccount peer = peers.addConnection(remote.bits());
    if (peer == null) {
      throw new IllegalStateException("too many neighbours are in use for " + remote);
    }
    TcpConnection connection = connection(key, peer, null, handler, initialSequence(key));
    connections.add(connection);
    opening.sendSyn(connection);
    return connection;
  }

  private void checkRoute(Ipv4Address remote) {
    if (!remote.unicast()) {
      throw new NoRouteException(remote + " is not the address of one host");
    }
    if (ip.address() == remote.bits()) {
      throw new NoRouteException(
          remote + " is the interface's own address, and an interface does not reach itself");
    }
    if (!ip.reaches(remote.bits())) {
      throw new NoRouteException(
          remote + " is not in the interface's network, and no gateway is configured");
    }
  }

  /** A random port that is free towards that peer (RFC 6056 section 3.3.1). */
  private long ephemeralKey(Ipv4Address remote, int port) {
    int start = random.nextInt(EPHEMERAL_PORTS);
    for (int i = 0; i < EPHEMERAL_PORTS; i++) {
      int local = FIRST_EPHEMERAL_PORT + (start + i) % EPHEMERAL_PORTS;
      long key = TcpConnectionTable.key(remote.bits(), port, local);
      if (connections.get(key) == null && !listeners.containsKey(local)) {
        return key;
      }
    }
    throw new IllegalStateException("no local port is left towards " + remote + ":" + port);
  }

  /** What TCP has seen and done. */
  public TcpCounters counters() {
    return counters;
  }

  /** What IP and ARP have seen and done. */
  public IpCounters ipCounters() {
    return ip.counters();
  }

  /** Connections there are, those in TIME-WAIT included. */
  public int connections() {
    return connections.size();
  }

  /** Packets that connections keep: unacknowledged, or received before their turn. */
  public int packetsHeld() {
    return sentPackets.used() + earlyPackets.used();
  }

  /** Resets every connection and gives back every packet. The stack is of no use afterwards. */
  @Override
  public void close() {
    listeners.clear();
    for (TcpConnection connection : connections.snapshot()) {
      connection.abort();
      connection.terminate(CloseReason.ABORTED);
    }
    Arrays.fill(pending, null);
    pendingCount = 0;
    Arrays.fill(awaitingPackets, null);
    awaitingPacketsCount = 0;
    ip.close();
  }

  // What connections need.

  long now() {
    return now;
  }

  PacketPool pool() {
    return pool;
  }

  StackContext sending() {
    return sending;
  }

  TcpSettings settings() {
    return settings;
  }

  /** The MSS that our MTU allows, without options. */
  int mss() {
    return IpLayer.mss(ip.mtu());
  }

  /** The largest packet that the path to a destination is known to carry, in octets. */
  int pathMtu(int remote) {
    return ip.pathMtu(remote);
  }

  /** A path carries no more than that: for every connection on it, and for those to come. */
  void lowerPathMtu(int remote, int mtu) {
    if (mtu < ip.pathMtu(remote)) {
      ip.lowerPathMtu(remote, mtu, now);
      counters.pathMtuLowered++;
      pathMtuChanged(remote, ip.pathMtu(remote));
    }
  }

  /** Tells every connection with that peer (RFC 1191 section 6.1). */
  void pathMtuChanged(int remote, int mtu) {
    for (TcpConnection connection : connections.snapshot()) {
      if (connection.remote() == remote) {
        sizes.pathMtu(connection, mtu);
      }
    }
  }

  boolean room() {
    return ip.room();
  }

  /** What is sent and not acknowledged: at most half of the pool. */
  PacketBudget sentPackets() {
    return sentPackets;
  }

  /** What has come before its turn: at most a quarter of the pool. */
  PacketBudget earlyPackets() {
    return earlyPackets;
  }

  /** Where connections that miss something have their ranges from. */
  EarlyRangesPool earlyRanges() {
    return earlyRanges;
  }

  Upcalls upcalls() {
    return upcalls;
  }

  SegmentOutput output() {
    return output;
  }

  Handshake opening() {
    return opening;
  }

  ConnectionTimers timers() {
    return timers;
  }

  SegmentSizes sizes() {
    return sizes;
  }

  boolean mayChallenge() {
    return challenges.tryAcquire(now);
  }

  /** A secret of the connection: the same each time, unknown to others. */
  private long secret(long key) {
    return hash.hash(key, ip.address());
  }

  /** The initial sequence number: a clock, and a secret offset (RFC 6528). */
  int initialSequence(long key) {
    return (int) (now / SEQUENCE_TICK) + (int) secret(key);
  }

  /** Where a connection's timestamps begin: a secret, too (RFC 7323 section 5.4). */
  int timestampOffset(long key) {
    return (int) (secret(key) >>> 32);
  }

  /** What all timestamps tick by, in milliseconds. */
  int timestampClock() {
    return (int) (now / TIMESTAMP_TICK);
  }

  /** The timestamp of a connection that there need not be. */
  int timestamp(long key) {
    return timestampClock() + timestampOffset(key);
  }

  void schedule(TcpConnection connection, long deadline) {
    wheel.schedule(connection, deadline);
  }

  void scheduleFlush(TcpConnection connection) {
    if (pendingCount == pending.length) {
      pending = Arrays.copyOf(pending, pendingCount * 2);
    }
    pending[pendingCount++] = connection;
  }

  /** Lets a connection wait until packets are given back that were sent. */
  void awaitPackets(TcpConnection connection) {
    if (awaitingPacketsCount == awaitingPackets.length) {
      awaitingPackets = Arrays.copyOf(awaitingPackets, awaitingPacketsCount * 2);
    }
    awaitingPackets[awaitingPacketsCount++] = connection;
  }

  /** Packets that were sent have been given back: those that wait for some are looked after. */
  void packetsAvailable() {
    for (int i = 0; i < awaitingPacketsCount; i++) {
      awaitingPackets[i].packetsAvailable();
      awaitingPackets[i] = null;
    }
    awaitingPacketsCount = 0;
  }

  void forget(TcpConnection connection) {
    connections.remove(connection);
    wheel.remove(connection);
  }

  void handlerFailed(Throwable failure) {
    counters.handlerFailures++;
    failures.accept(failure);
  }

  TcpListener listener(int port) {
    return listeners.get(port);
  }

  void remove(TcpListener listener) {
    listeners.remove(listener.port(), listener);
  }

  /** A connection that is not in the table yet. */
  TcpConnection connection(
      long key, PeerAccount peer, TcpListener listener, StreamHandler handler, int sequence) {
    return new TcpConnection(this, key, peer, listener, handler, sequence);
  }

  /** A connection with a peer is gone. */
  void leave(PeerAccount peer) {
    peers.removeConnection(peer);
  }
}
