package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineSleep;
import org.rddp.daemon.engine.OctetStream;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.StreamParts;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.Doorbells;
import org.rddp.snapshot.Snapshot;

/**
 * A program's session for octet streams: a tree of processes that share one control connection.
 * Ends when all have closed that; the streams go on as long as somebody holds them. Control thread
 * only.
 */
final class ProgramSockets {
  static final int LAST_PORT = 65535;

  /** Time in ns after which a connect has failed if the program chooses none, as with Linux. */
  private static final long CONNECT_TIMEOUT = TimeUnit.SECONDS.toNanos(127);

  private final ControlServer server;
  private final StreamService service;

  /** Null if the session has ended in another daemon, and its streams go on. */
  private final ProgramSession program;

  private final PeerCredentials process;
  private final Resources share;
  private final StreamShares shares;
  private final List<StreamSection> sections = new ArrayList<>();
  private final StreamListeners listeners;
  private final Set<EngineSleep> sleeps = new HashSet<>();
  private final ProgramWaiters waiters;
  private ProgramMapping doorbells;
  private volatile boolean begun;
  private volatile boolean ended;

  /** Whether no engine serves the session any more. */
  private boolean hasLeft;

  /**
   * Creates a session, which has nothing before {@link #open} or {@link #transfer}.
   *
   * @param program null for one that has ended in another daemon
   * @param process that has opened it
   */
  ProgramSockets(ControlServer server, ProgramSession program, PeerCredentials process) {
    Limits limits = server.limits();
    this.server = server;
    this.service = server.streams();
    this.program = program;
    this.process = process;
    share = server.joinShares(process);
    Quota octets =
        new Quota("octets of this program's streams", limits.sessionMemory(), share.memory());
    shares = new StreamShares(this, service, share, octets);
    listeners = new StreamListeners(server, service, this);
    waiters = new ProgramWaiters(server, service, program, sections, octets, share.memories());
  }

  /** The program; null if the session has ended in another daemon. */
  ProgramSession program() {
    return program;
  }

  ProgramLink link() {
    return program.link();
  }

  /** Whether the doorbells are shared, or being shared. */
  boolean hasBegun() {
    return begun;
  }

  // ---- The beginning ----

  void open(ProgramMessage.SocketsHello hello) throws RequestRefusedException {
    List<InterfaceEngine> engines = server.interfaces().all();
    try {
      SharedMemory memory =
          SharedMemory.createImmutable("rddp-doorbells", Doorbells.octets(engines.size()));
      memory.populate(0, memory.length());
      use(memory);
      WakeSocket[] ends = WakeSocket.pair();
      link().use(ends[0], ends[1], sleeps);
      program.socket().permitDescriptors();
      program.send(
          new DaemonMessage.SocketsWelcome(
              hello.request(),
              ControlMessage.VERSION,
              sections.size(),
              Doorbells.STREAMS,
              StreamListeners.MOST,
              StreamService.RING,
              StreamService.RING,
              encrypted(engines),
              doorbells.descriptor(),
              ends[1].descriptor()));
    } catch (SystemCallException e) {
      throw new RequestRefusedException(Reason.RESOURCES, "no session: " + e.getMessage());
    }
  }

  /** Makes the sections, whose doorbells are in a memory. */
  private void use(SharedMemory memory) {
    Limits limits = server.limits();
    Integer user = user();
    doorbells = ProgramMapping.ofRings(memory, memory::close, server.mappingThreads());
    for (InterfaceEngine each : server.interfaces().all()) {
      int number = sections.size();
      Doorbells bells = new Doorbells(memory.address() + (long) number * Doorbells.OCTETS);
      sections.add(
          new StreamSection(
              each.engine(),
              number,
              each.owner(process, limits),
              bells,
              signal -> service.wake(user, signal)));
      shares.add(sections.getLast());
      sleeps.add(each.engine().sleep());
    }
  }

  /** Bit i: interface i, of which the engines are in order, sends in ESP only. */
  private static long encrypted(List<InterfaceEngine> engines) {
    long bits = 0;
    int index = -1;
    String last = "";
    for (InterfaceEngine each : engines) {
      index += each.name().equals(last) ? 0 : 1;
      last = each.name();
      bits |= each.requiresEsp() && index < Long.SIZE ? 1L << index : 0;
    }
    return bits;
  }

  private void share(int request) throws RequestRefusedException {
    doorbells.share(refusal -> {
      if (refusal == null && !ended) {
        begin();
      }
      program.answer(request, refusal);
    });
  }

  private void begin() {
    begun = true;
    service.prepare();
    link().closeProgramEnd();
    for (StreamSection each : sections) {
      each.engine().execute(() -> each.engine().streams().begin(each));
    }
    for (List<StreamSection> asleep : bySleep()) {
      Engine engine = asleep.getFirst().engine();
      engine.execute(() -> engine.streams().sleepWith(asleep, link()));
    }
    server.events().session(program.logFields(), "the session for octet streams begins");
  }

  /** The sections by the thread of their engines. */
  private List<List<StreamSection>> bySleep() {
    return sleeps.stream()
        .map(sleep -> sections.stream().filter(each -> each.engine().sleep() == sleep).toList())
        .toList();
  }

  // ---- Requests ----

  void serve(ProgramMessage message) throws RequestRefusedException {
    if (message instanceof ProgramMessage.ShareMemory shared
        && shared.memory() == ProgramMessage.ShareMemory.RINGS) {
      share(message.request());
      return;
    }
    if (message instanceof ProgramMessage.StreamBridge bridge) {
      service.bridges().bridge(program, bridge.request(), bridge.stream());
      return;
    }
    if (!begun) {
      link().execute(message::closeDescriptors);
      throw new RequestRefusedException(
          Reason.STATE, "the session begins with ShareMemory for the doorbells");
    }
    switch (message) {
      case ProgramMessage.StreamConnect connect -> connect(connect);
      case ProgramMessage.StreamListen listen -> listeners.listen(listen);
      case ProgramMessage.StreamListenEnd end -> {
        listeners.end(end.listener());
        program.send(new DaemonMessage.Done(end.request()));
      }
      case ProgramMessage.StreamBacklog change -> {
        listeners.backlog(change.listener(), change.backlog());
        program.send(new DaemonMessage.Done(change.request()));
      }
      case ProgramMessage.StreamWaiter waiter -> waiters.open(waiter.request());
      case ProgramMessage.ShareMemory shared -> waiters.share(shared.request(), shared.memory());
      case ProgramMessage.CloseSession close ->
          program.end(null, new DaemonMessage.Done(close.request()));
      default -> {
        link().execute(message::closeDescriptors);
        throw new RequestRefusedException(
            Reason.STATE, "a session for octet streams has no such request");
      }
    }
  }

  /** Checks a port that a program has sent. */
  static void checkPort(int port, int least) throws RequestRefusedException {
    if (port < least || port > LAST_PORT) {
      throw new RequestRefusedException(Reason.INVALID, "port " + port);
    }
  }

  // ---- Streams ----

  private void connect(ProgramMessage.StreamConnect connect) throws RequestRefusedException {
    HostAddress remote = ControlAddresses.host(connect.remoteAddress());
    InterfaceEngine chosen = choose(connect, remote);
    StreamSlot slot =
        take(
            leastUsed(chosen),
            connect.localPort() == 0
                ? null
                : new StreamSlot.Claim(
                    chosen.name(), connect.localPort(), remote, connect.remotePort()));
    service.make(
        slot,
        parts -> connect(connect, parts, remote),
        refusal -> program.answer(connect.request(), refusal));
  }

  /**
   * Opens a stream if its program has what it needs in reserve, and nothing speaks against it. On
   * the thread of the program's link.
   *
   * @return false if the control thread has to look at the request
   */
  boolean connectAtOnce(ProgramMessage.StreamConnect connect) {
    if (ended || !begun || connect.localPort() != 0 || service.watched().mayEndLeft()) {
      return false;
    }
    try {
      HostAddress remote = ControlAddresses.host(connect.remoteAddress());
      StreamParts parts = takeKept(choose(connect, remote).name());
      if (parts != null) {
        parts.section().engine().execute(() -> connect(connect, parts, remote));
      }
      return parts != null;
    } catch (RequestRefusedException e) {
      return false;
    }
  }

  /** Checks a request, and chooses an interface for it. Any thread. */
  private InterfaceEngine choose(ProgramMessage.StreamConnect connect, HostAddress remote)
      throws RequestRefusedException {
    checkPort(connect.remotePort(), 1);
    checkPort(connect.localPort(), 0);
    PrivilegedPorts.check(process, connect.localPort());
    if (connect.flags() != 0 || connect.timeoutMillis() < 0) {
      throw new RequestRefusedException(Reason.INVALID, "flags or a timeout that are unknown");
    }
    HostAddress local =
        connect.localAddress().family() == IpAddress.NONE.family()
            ? null
            : ControlAddresses.host(connect.localAddress());
    InterfaceEngine chosen = StreamRoutes.choose(remote, local, server.interfaces().all());
    if (chosen.socketsPort() == 0) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE, "sockets-port of the interface " + chosen.name() + " is 0");
    }
    if (server.interfaces().engines(chosen.name()).stream()
        .anyMatch(each -> each.engine().streams().isStranger(remote))) {
      throw new RequestRefusedException(
          Reason.UNREACHABLE,
          Errno.EHOSTDOWN,
          remote + " has answered a moment ago that it does not speak rddp");
    }
    return chosen;
  }

  /** On the engine's thread. */
  private void connect(
      ProgramMessage.StreamConnect connect, StreamParts parts, HostAddress remote) {
    int request = connect.request();
    long timeout =
        connect.timeoutMillis() == 0
            ? CONNECT_TIMEOUT
            : TimeUnit.MILLISECONDS.toNanos(connect.timeoutMillis());
    try {
      OctetStream stream =
          parts
              .section()
              .engine()
              .streams()
              .connect(parts, remote, connect.remotePort(), connect.localPort(), timeout);
      program.sendAtOnce(
          new DaemonMessage.StreamConnecting(
              request,
              parts.section().number(),
              parts.index(),
              StreamService.RING,
              StreamService.RING,
              ControlAddresses.of(stream.ends().localAddress()),
              stream.ends().localPort(),
              parts.programSocket().descriptor(),
              parts.memory().descriptor()));
    } catch (RequestRefusedException e) {
      service.discard(parts);
      program.onControl(() -> program.answer(request, e));
    }
  }

  /** The engine of an interface on which the program has the fewest streams. */
  private Engine leastUsed(InterfaceEngine chosen) {
    Engine best = null;
    int fewest = Integer.MAX_VALUE;
    for (InterfaceEngine each : server.interfaces().engines(chosen.name())) {
      int count = shares.count(section(each.engine()));
      if (count < fewest && !server.watches().isStuck(each)) {
        fewest = count;
        best = each.engine();
      }
    }
    return best == null ? chosen.engine() : best;
  }

  /** The section of an engine. */
  StreamSection section(Engine engine) {
    for (StreamSection each : sections) {
      if (each.engine() == engine) {
        return each;
      }
    }
    throw new IllegalArgumentException(engine.name());
  }

  /** Takes what a stream needs of the quotas, which reserves give back where it is missing. */
  StreamSlot take(Engine engine, StreamSlot.Claim claim) throws RequestRefusedException {
    if (ended) {
      throw new RequestRefusedException(Reason.STATE, "the session has ended");
    }
    StreamSection section = section(engine);
    try {
      return shares.take(section, claim);
    } catch (RequestRefusedException e) {
      if (e.reason() == Reason.ADDRESS_IN_USE || !service.emptyReserves()) {
        throw e;
      }
      return shares.take(section, claim);
    }
  }

  /**
   * What is kept for a stream on an engine of an interface, that of which most is kept; null for
   * nothing. Any thread.
   */
  private StreamParts takeKept(String interfaceName) {
    StreamSection best = null;
    for (InterfaceEngine each : server.interfaces().all()) {
      StreamSection section = section(each.engine());
      boolean more = best == null || reserve().count(section) > reserve().count(best);
      if (each.name().equals(interfaceName) && more && !server.watches().isStuck(each)) {
        best = section;
      }
    }
    return best == null ? null : reserve().take(best);
  }

  /** What is kept for a stream on an engine; null for nothing. Any thread. */
  StreamParts takeKept(Engine engine) {
    return reserve().take(section(engine));
  }

  /** What ended streams have left for later ones. */
  StreamReserve reserve() {
    return shares.reserve();
  }

  /** What streams take of the quotas. */
  StreamShares shares() {
    return shares;
  }

  /** Whether an ended stream leaves what it has to a later one. */
  boolean keeps(StreamSlot slot) {
    return !ended && shares.mayKeep(slot, service.kept(user()));
  }

  /** Gives back what a stream has taken. */
  void free(StreamSlot slot) {
    shares.free(slot);
    unmapIfUnused();
  }

  // ---- For people and tools ----

  /** The sections, one for each engine. */
  List<StreamSection> sections() {
    return sections;
  }

  /** Streams that it has. */
  int streams() {
    return shares.count();
  }

  /** Octets of memory shared with the program, but for what is kept for its next streams. */
  long memoryOctets() {
    return shares.octets();
  }

  /** The listeners. */
  StreamListeners listeners() {
    return listeners;
  }

  // ---- Another daemon goes on with it ----

  /** What the log calls it. */
  String name() {
    return ended ? "a session of pid %d that has ended".formatted(process.pid()) : program.name();
  }

  /** The process that has opened the session. */
  PeerCredentials process() {
    return process;
  }

  /** Whether the session has ended; its streams may go on. Any thread. */
  boolean hasEnded() {
    return ended;
  }

  /** The user of the process that has opened the session. */
  int user() {
    return process.uid();
  }

  /** Whether the session has ended, and no engine serves it; its streams go on. */
  boolean hasLeft() {
    return hasLeft;
  }

  /** What keeps another daemon from going on with it; empty if nothing does. */
  String keptBy() {
    return doorbells.canGoOver() && waiters.canGoOver()
        ? ""
        : "has doorbells that no other process can map";
  }

  /** Transfers a session that has begun, while nothing is under way; its streams follow. */
  void transfer(Snapshot snapshot, HandedDescriptors descriptors) {
    snapshot.begin(ProgramSockets.class);
    boolean reads = snapshot.reads();
    ended = snapshot.flag("ended", ended);
    Descriptor memory = descriptors.transfer(reads ? null : doorbells.descriptor());
    if (reads) {
      SharedMemory shared = HandedDescriptors.map(memory);
      use(shared);
      if (shared.length() != Doorbells.octets(sections.size())) {
        throw snapshot.wrong("doorbells of " + shared.length() + " octets");
      }
      begun = true;
      hasLeft = ended;
    }
    doorbells.transfer(snapshot);
    waiters.transfer(snapshot, descriptors);
    listeners.transfer(snapshot, descriptors);
    snapshot.end();
  }

  /** Closes the waiters' sockets, which another daemon has. */
  void leave() {
    waiters.leave();
  }

  /** Goes on with a living session that has been read; the engines have not begun. */
  void goOn(WakeSocket wake) {
    link().use(wake, null, sleeps);
    bySleep().forEach(each -> each.getFirst().engine().streams().sleepWith(each, link()));
  }

  // ---- The end ----

  /**
   * Ends the session, but not its streams.
   *
   * @param then runs when no engine uses the session's wake-up socket
   */
  void end(Runnable then) {
    ended = true;
    service.empty(shares.reserve());
    listeners.endAll();
    if (!begun) {
      Runnable done =
          () -> {
            server.leaveShares(process);
            then.run();
          };
      if (doorbells == null) {
        done.run();
      } else {
        doorbells.release(done);
      }
      return;
    }
    service.onEngines(
        sections,
        each -> each.engine().streams().end(each),
        () -> {
          hasLeft = true;
          then.run();
          unmapIfUnused();
        });
  }

  /** Unmaps the doorbells when the session has ended and no stream uses them. */
  private void unmapIfUnused() {
    if (hasLeft && shares.isEmpty()) {
      hasLeft = false;
      waiters.close();
      doorbells.release(() -> server.leaveShares(process));
    }
  }
}
