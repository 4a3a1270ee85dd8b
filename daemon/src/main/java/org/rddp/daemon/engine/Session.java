package org.rddp.daemon.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongPredicate;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SessionLimits;
import org.rddp.client.types.WindowKind;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.ddp.receiving.HeldShare;
import org.rddp.ddp.receiving.UntaggedQueue;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.RegionSettings;
import org.rddp.ipc.ring.CompletionEntry;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.TcpConnection;

/**
 * A program's session with the engine: its rings, regions, listeners and connections, in its own
 * protection domains. Engine thread only, except the constructor.
 */
public final class Session implements SleepAware {
  /** Octets of heap of a session without requests. */
  private static final long HEAP = 128 << 10;

  /** Octets of heap of a message to the program, with average private data. */
  private static final long HEAP_OF_MESSAGE = 256;

  /**
   * Octets of heap for a request: its place in the table, its entries in queues, and the missing
   * ranges of its message.
   */
  private static final long HEAP_OF_REQUEST =
      RequestTable.OCTETS + QueueMemory.OCTETS_OF_REQUEST + UntaggedQueue.OCTETS_OF_RANGES;

  /** Octets of heap of a region or window. */
  private static final long HEAP_OF_REGION = 256;

  /** Indices searched for each connection that is copied for a list. */
  private static final int INDICES = 256;

  private final int number;
  private final Engine engine;
  private final SessionLimits limits;
  private final SessionOwner owner;
  private final HeapShare heap;
  private final DaemonRings rings;
  private final Runnable wake;
  private final SessionHandler events;
  private final String name;
  private final SessionDomains domains;
  private final RequestIntake intake;
  private final RequestTable requests;
  private final QueueMemory queueMemory;
  private final RegisteredMemory memory;
  private final SessionReceiveQueues receiveQueues = new SessionReceiveQueues(this);
  private final SessionListeners listeners = new SessionListeners(this);
  private final NumberTable<SessionConnection> connections = new NumberTable<>();
  private final Meetings meetings;
  private HeldShare heldShare;
  private boolean broken;
  private boolean ended;
  private String lastError = "";

  /**
   * Creates a session, which {@link Engine#begin} begins.
   *
   * @param name of the program, for people
   * @param rings the daemon's end of its rings, with {@code limits.completions()} completions
   * @param wake wakes the program; called by the engine's thread, must not block
   */
  public Session(
      String name,
      Engine engine,
      SessionLimits limits,
      DaemonRings rings,
      Runnable wake,
      SessionHandler events) {
    this(
        0,
        name,
        engine,
        limits,
        rings,
        Arena.ofAuto().allocate(inlineOctets(limits), 64),
        wake,
        events,
        SessionOwner.unlimited(),
        HeapShare.unlimited());
  }

  /**
   * Creates a session whose connections count for its owner.
   *
   * @param number its number in the daemon
   * @param inlineMemory {@link #inlineOctets} of memory for inline messages, used until {@link
   *     Engine#end}
   * @param heap share from which its connections take
   */
  public Session(
      int number,
      String name,
      Engine engine,
      SessionLimits limits,
      DaemonRings rings,
      MemorySegment inlineMemory,
      Runnable wake,
      SessionHandler events,
      SessionOwner owner,
      HeapShare heap) {
    this.heap = heap;
    this.number = number;
    this.owner = owner;
    this.engine = engine;
    this.name = name;
    this.domains = new SessionDomains(name);
    this.limits = limits;
    this.rings = rings;
    this.wake = wake;
    this.events = events;
    this.requests = new RequestTable(limits.completions(), inlineMemory, engine.times());
    this.queueMemory = new QueueMemory(limits.completions());
    this.memory = new RegisteredMemory(engine.ddp().taggedBuffers(), limits.regions());
    this.intake = new RequestIntake(this, rings, connections);
    this.meetings = new Meetings(this, engine.queuePairs());
  }

  /**
   * Most octets of heap that a session without connections takes.
   *
   * @param messages most messages that wait for its program
   */
  public static long heapOctets(SessionLimits limits, int messages) {
    return HEAP
        + (long) limits.completions() * HEAP_OF_REQUEST
        + limits.regions() * HEAP_OF_REGION
        + messages * HEAP_OF_MESSAGE;
  }

  /** Octets of the memory for inline messages. */
  public static long inlineOctets(SessionLimits limits) {
    return RequestTable.inlineOctets(limits.completions());
  }

  // ---- Work requests ----

  /** Takes its requests. */
  RequestIntake intake() {
    return intake;
  }

  /**
   * Claims a completion, which the caller fills and submits.
   *
   * @param retired requests of the same queue that end with it: its own and the unsignalled ones
   *     before
   */
  CompletionEntry claim(int retired) {
    engine.counters().completions++;
    return rings.claim(retired);
  }

  /** Publishes the requests taken and completed in this turn; wakes the program if it waits. */
  void flush() {
    if (rings.flush()) {
      wake.run();
    }
  }

  /** Tells the program on which processor, from 0 on, the engine's thread runs. */
  void runsOn(int processor) {
    rings.runsOn(processor);
  }

  @Override
  public void announceSleep() {
    rings.announceSleep();
  }

  @Override
  public boolean endSleep() {
    return rings.endSleep();
  }

  /** Whether requests wait until the program has read completions. */
  @Override
  public boolean isBlocked() {
    return rings.isBlocked();
  }

  RequestTable requests() {
    return requests;
  }

  // ---- Regions ----

  /**
   * Gives a range of the program's memory an STag, with Tagged Offsets from 0 on.
   *
   * @param address of its first octet
   * @param octets greater than 0
   * @param rights of {@link org.rddp.client.types.Access}
   * @param connection the only one that may use it, or 0
   * @return the STag
   */
  public int register(long address, long octets, int rights, int connection)
      throws RequestRefusedException {
    return register(address, octets, new RegionSettings(rights, connection));
  }

  /**
   * Gives a range of the program's memory an STag.
   *
   * @param address of its first octet
   * @param octets greater than 0
   * @return the STag
   */
  public int register(long address, long octets, RegionSettings settings)
      throws RequestRefusedException {
    ProtectionDomain domain = domains.require(settings.domain());
    int connection = settings.connection();
    DdpStream stream = connection == 0 ? null : require(connection).ddp();
    return memory.register(domain, stream, address, octets, settings);
  }

  /**
   * Removes an STag. When this returns, nothing more is placed or read through it, and the engine
   * holds no address of the memory, even for posted requests: a request that needs the memory later
   * ends its connection.
   */
  public void deregister(int stag) throws RequestRefusedException {
    intake.takeAll();
    SessionRegion region = memory.deregister(stag);
    if (region.uses() > 0) {
      LongPredicate users = request -> requests.uses((int) request, region);
      connections.forEach(connection -> connection.stream().revoke(users));
      receiveQueues.revoke(users);
    }
  }

  /** Allocates an unbound memory window in a protection domain. */
  public SessionWindow allocateWindow(WindowKind kind, int domain) throws RequestRefusedException {
    return memory.allocateWindow(kind, domains.require(domain));
  }

  /** Frees a window: nothing is placed or read through it afterwards. */
  public void freeWindow(int number) throws RequestRefusedException {
    intake.takeAll();
    memory.freeWindow(number);
  }

  RegisteredMemory memory() {
    return memory;
  }

  // ---- Shared receive queues ----

  /** Creates a shared receive queue in the default protection domain. */
  public int createReceiveQueue(int size) throws RequestRefusedException {
    return createReceiveQueue(size, ProtectionDomains.DEFAULT);
  }

  /**
   * Creates a shared receive queue.
   *
   * @param size the most receives it holds, greater than 0
   * @param domain number of the protection domain of the regions that receives name
   * @return its number
   */
  public int createReceiveQueue(int size, int domain) throws RequestRefusedException {
    return receiveQueues.create(size, domains.require(domain));
  }

  /** Tells the program once when fewer than {@code limit} receives are left; 0 for never. */
  public void armReceiveQueue(int number, int limit) throws RequestRefusedException {
    intake.takeAll();
    receiveQueues.arm(number, limit);
  }

  /** Destroys an unused queue and flushes its receives. Returns its size. */
  public int destroyReceiveQueue(int number) throws RequestRefusedException {
    intake.takeAll();
    return receiveQueues.destroy(number);
  }

  SessionReceiveQueues receiveQueues() {
    return receiveQueues;
  }

  // ---- Connections ----

  /**
   * Accepts connections at a port.
   *
   * @param at the interface's address to which peers may connect: one of them, {@code 0.0.0.0} for
   *     any of IPv4, or {@code ::} for any
   * @param settings of every connection
   * @return the listener
   */
  public SessionListener listen(HostAddress at, int port, int backlog, ConnectionSettings settings)
      throws RequestRefusedException {
    check(settings);
    return listeners.open(at, port, backlog, settings);
  }

  /** Stops listening; requests that the program has not answered are rejected. */
  public void closeListener(int number) throws RequestRefusedException {
    intake.takeAll();
    listeners.close(number);
  }

  /**
   * Opens a connection to a peer; an event reports the outcome.
   *
   * @param timeout nanoseconds until it is given up
   * @param settings of the connection, chosen by the program
   * @return the connection's number
   */
  public int connect(
      HostAddress remoteAddress,
      int remotePort,
      byte[] privateData,
      long timeout,
      ConnectionSettings settings)
      throws RequestRefusedException {
    check(settings);
    SessionConnection connection =
        SessionConnection.outgoing(this, reserve(), privateData, settings);
    connection.opening().begin(remoteAddress, remotePort, timeout);
    return connection.number();
  }

  /**
   * Expects the peer of a queue pair, whose number is this session's; the outcome is an event.
   *
   * @param settings of the connection; both ends may send first, whatever they say
   * @return the connection's number
   */
  public int expect(Expectation expectation, ConnectionSettings settings)
      throws RequestRefusedException {
    ConnectionSettings chosen = settings.withStartup(ChosenStartup.bothFirst(settings.startup()));
    check(chosen);
    if (settings.isPlainDdp()) {
      throw new RequestRefusedException(Reason.INVALID, "queue pairs speak RDMAP, not plain DDP");
    }
    return meetings.expect(expectation, chosen).number();
  }

  /**
   * Says what {@link #expect} has left open; the PSN may be said once. Does nothing if the peer has
   * come, or the connection has ended.
   *
   * @param psn first packet sequence number of the own sends
   * @param timeout see {@link Expectation#timeout}
   */
  public void expectPsn(int connection, int psn, long timeout) throws RequestRefusedException {
    SessionConnection found = connections.get(connection);
    if (found != null && found.meeting() != null) {
      found.meeting().say(psn, timeout);
    }
  }

  /** Gives a queue pair's number back, unless it waits for its peer. */
  public void freeNumber(int number) throws RequestRefusedException {
    intake.takeAll();
    meetings.free(number);
  }

  Meetings meetings() {
    return meetings;
  }

  private void check(ConnectionSettings settings) throws RequestRefusedException {
    if (engine.isClosing()) {
      throw new RequestRefusedException(Reason.STATE, "the daemon ends");
    }
    if (ended) {
      throw new RequestRefusedException(Reason.STATE, "the session has ended");
    }
    SettingsCheck.check(this, settings);
  }

  /**
   * Accepts a peer's request. Takes the requests in the ring first, so that receives posted before
   * are in their queue.
   *
   * @param settings what is chosen for this connection
   */
  public void accept(int connection, AcceptSettings settings, byte[] privateData)
      throws RequestRefusedException {
    intake.takeAll();
    require(connection).request().accept(settings, privateData);
  }

  /** Rejects a peer's request. */
  public void reject(int connection, byte[] privateData) throws RequestRefusedException {
    intake.takeAll();
    require(connection).request().reject(privateData);
  }

  /**
   * Ends a connection; requests posted before are part of it.
   *
   * @param graceful send what was posted, then close; otherwise reset at once
   */
  public void disconnect(int connection, boolean graceful) throws RequestRefusedException {
    intake.takeAll();
    require(connection).disconnect(graceful);
  }

  boolean hasRoomForConnection() {
    return connections.size() < limits.connections() && !ended && owner.hasRoomForConnection();
  }

  /** Reserves a number for a connection. */
  int reserve() throws RequestRefusedException {
    if (!hasRoomForConnection()) {
      throw new RequestRefusedException(
          Reason.LIMIT,
          "a session has at most %d connections, and on this interface a user %d, a process %d"
              .formatted(
                  limits.connections(), owner.userConnections(), owner.processConnections()));
    }
    return connections.reserve();
  }

  void add(SessionConnection connection) {
    connections.add(connection.number(), connection);
    owner.addConnection();
  }

  void remove(SessionConnection connection) {
    connections.remove(connection.number());
    owner.removeConnection();
    memory.release(connection.ddp());
  }

  private SessionConnection require(int number) throws RequestRefusedException {
    SessionConnection found = connections.get(number);
    if (found == null) {
      throw new RequestRefusedException(Reason.NOT_FOUND, "no such connection in this session");
    }
    return found;
  }

  // ---- It goes on in another engine ----

  /** Its number in the daemon. */
  int number() {
    return number;
  }

  /** All connections: those whose Request has not come, then those with a number. */
  List<SessionConnection> connections() {
    List<SessionConnection> all = listeners.starting();
    connections.forEach(all::add);
    return all;
  }

  /**
   * Transfers its rings' positions, domains, receive queues, listeners and connections; their
   * streams and memory follow. When read, it has begun, and has none of these.
   *
   * @param transports the connections of TCP
   */
  void transfer(Snapshot snapshot, References<TcpConnection> transports) {
    snapshot.begin(Session.class);
    broken = snapshot.flag("broken", broken);
    lastError = snapshot.text("lastError", lastError);
    transferRings(snapshot);
    domains.transfer(snapshot);
    receiveQueues.transfer(snapshot);
    listeners.transfer(snapshot, transports);
    connections.transfer(
        snapshot,
        (given, written) -> SessionConnection.transfer(snapshot, this, given, transports, written));
    if (snapshot.reads()) {
      connections.forEach(connection -> owner.addConnection());
    }
    listeners.transferUnanswered(snapshot, new References<>(connections()));
    snapshot.end();
  }

  private void transferRings(Snapshot snapshot) {
    DaemonRings.Positions positions =
        snapshot.record("rings", DaemonRings.Positions.class, rings.positions());
    if (snapshot.reads()) {
      try {
        rings.goOn(positions);
      } catch (IllegalArgumentException wrong) {
        throw snapshot.wrong(wrong.getMessage());
      }
    }
  }

  /** Transfers its memory, its requests, and the streams of its connections. */
  void transferStreams(Snapshot snapshot, DdpReferences references, List<DdpStream> streams) {
    snapshot.begin(Session.class);
    memory.transfer(snapshot, references);
    requests.transfer(snapshot, memory);
    receiveQueues.transferReceives(snapshot, references, streams);
    connections().forEach(connection -> connection.transferStream(snapshot, references));
    snapshot.end();
  }

  // ---- For people and tools ----

  /** The session at this moment. */
  public SessionStatus status() {
    return new SessionStatus(connections.size(), listeners.count(), requests.size(), lastError);
  }

  /**
   * The next connections at this moment.
   *
   * @param from index of the first one; 0 at first
   * @param most connections
   * @param into receives them
   * @return the index to go on from, -1 if there are no more
   */
  public int connections(int from, int most, List<ConnectionStatus> into) {
    int index = connections.next(Math.max(from, 0), INDICES);
    while (index >= 0 && into.size() < most) {
      SessionConnection connection = connections.at(index);
      if (connection == null) {
        return index;
      }
      into.add(connection.status());
      index = connections.next(index + 1, INDICES);
    }
    return index;
  }

  /** The listeners at this moment; one program has few. */
  public List<ListenerStatus> listeners() {
    return listeners.status();
  }

  /** Notes that a connection of the session has failed. */
  void failed(ConnectionEnds ends, String text) {
    ConnectionFailure failure =
        new ConnectionFailure(engine.name(), number, owner, name, ends, text);
    lastError = failure.connection() + ": " + text;
    engine.report(failure);
  }

  // ---- The end ----

  /** Whether it must end: nothing more is taken from its ring. */
  boolean isBroken() {
    return broken;
  }

  /** Marks the session to end. */
  void fail(String detail) {
    if (!broken) {
      broken = true;
      events.onBroken(detail);
    }
  }

  /** Stops listening, and closes every connection gracefully. */
  void closeGracefully() {
    listeners.closeAll();
    connections.forEach(connection -> connection.disconnect(true));
  }

  /** The connection of this number, or null. */
  SessionConnection connection(int number) {
    return connections.get(number);
  }

  /** Connections that have not ended. */
  int connectionCount() {
    return connections.size();
  }

  /**
   * Ends everything at once. When this returns, the engine holds no address of the session's
   * memory.
   */
  void end() {
    ended = true;
    broken = true;
    listeners.closeAll();
    connections.forEach(SessionConnection::abortSilently);
    meetings.end();
    memory.end();
  }

  /** Whether its memory is registered there: a restarted engine has another. */
  boolean isOf(DdpEngine ddp) {
    return memory.isIn(ddp.taggedBuffers());
  }

  /** Begins the session, which shares the held memory of its user and process with these. */
  void shareHeldMemory(List<Session> others) {
    HeldShare user = null;
    for (Session other : others) {
      if (other.owner.user() == owner.user()) {
        if (other.owner.process() == owner.process()) {
          heldShare = other.heldShare;
          return;
        }
        user = other.heldShare.parent();
      }
    }
    HeldShare ofUser = user == null ? new HeldShare(owner.userHeld(), null) : user;
    heldShare = new HeldShare(owner.processHeld(), ofUser);
  }

  /** The process's share of the memory for held messages. */
  HeldShare heldShare() {
    return heldShare;
  }

  /** The memory to which the entries of its queues count. */
  QueueMemory queueMemory() {
    return queueMemory;
  }

  /** The share of the heap from which its connections take. */
  HeapShare heap() {
    return heap;
  }

  SessionOwner owner() {
    return owner;
  }

  Engine engine() {
    return engine;
  }

  SessionHandler events() {
    return events;
  }

  /** The program's name, for people. */
  String name() {
    return name;
  }

  SessionDomains domains() {
    return domains;
  }

  SessionLimits limits() {
    return limits;
  }
}
