package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.rddp.client.types.Reason;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.EngineSleep;
import org.rddp.daemon.engine.ListenerStatus;
import org.rddp.daemon.engine.OctetStream;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.StreamListener;
import org.rddp.daemon.engine.StreamParts;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PairedSocket;
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
  /** The most listeners of a session: they take a socket and a port, and nothing of the engines. */
  private static final int LISTENERS = 256;

  private static final int LAST_PORT = 65535;
  private static final int FIRST_EPHEMERAL_PORT = 32768;
  private static final int EPHEMERAL_PORTS = 28232;

  /** Time in ns after which a connect has failed if the program chooses none, as with Linux. */
  private static final long CONNECT_TIMEOUT = TimeUnit.SECONDS.toNanos(127);

  private final ControlServer server;
  private final StreamService service;

  /** Null if the session has ended in another daemon, and its streams go on. */
  private final ProgramSession program;

  private final PeerCredentials process;
  private final Resources share;
  private final StreamShares shares;
  private final Quota listenerQuota;
  private final List<StreamSection> sections = new ArrayList<>();
  private final Map<Integer, ProgramListener> listeners = new TreeMap<>();
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
    listenerQuota = new Quota("listeners of this program", LISTENERS, null);
    waiters = new ProgramWaiters(server, service, program, sections, octets, share.memories());
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
              LISTENERS,
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
      case ProgramMessage.StreamListen listen -> listen(listen, true);
      case ProgramMessage.StreamListenEnd end -> {
        endListener(end.listener());
        program.send(new DaemonMessage.Done(end.request()));
      }
      case ProgramMessage.StreamBacklog change -> {
        ProgramListener listener = listeners.get(change.listener());
        if (listener == null) {
          throw new RequestRefusedException(Reason.NOT_FOUND, "no such listener");
        }
        listener.listener().backlog(backlog(change.backlog()));
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

  private static int backlog(int asked) throws RequestRefusedException {
    if (asked < 1) {
      throw new RequestRefusedException(Reason.INVALID, "a backlog of " + asked);
    }
    return Math.min(asked, LAST_PORT);
  }

  private static void checkPort(int port, int least) throws RequestRefusedException {
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
    if (ended || !begun || connect.localPort() != 0 || service.mayEndLeft()) {
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
    return !ended && shares.mayKeep(slot);
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

  /** The listeners at this moment. */
  List<ListenerStatus> listeners() {
    return listeners.values().stream().map(each -> each.listener().status()).toList();
  }

  // ---- Listeners ----

  /**
   * Makes a listener.
   *
   * @param mayWait whether this is the first try
   */
  private void listen(ProgramMessage.StreamListen listen, boolean mayWait)
      throws RequestRefusedException {
    checkPort(listen.port(), 0);
    PrivilegedPorts.check(program.process(), listen.port());
    HostAddress address = ControlAddresses.host(listen.address());
    boolean served =
        ControlAddresses.isAny(address)
            || server.interfaces().all().stream().anyMatch(each -> each.hasAddress(address));
    if (!served) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE, Errno.EADDRNOTAVAIL, "no interface has the address " + address);
    }
    boolean reuses = (listen.flags() & ProgramMessage.StreamListen.REUSE_PORT) != 0;
    boolean only6 = (listen.flags() & ProgramMessage.StreamListen.ONLY_IPV6) != 0;
    ProgramLink sending = mayWait ? sendingAt(listen.port()) : null;
    // A program that has closed a listener may have its port at once.
    service.endLeft();
    int port = listen.port() == 0 ? freePort(address, only6) : listen.port();
    if (!isFree(address, only6, port, reuses, listen.socket())) {
      if (sending != null) {
        sending.execute(() -> server.execute(() -> listenAgain(listen)));
        return;
      }
      throw new RequestRefusedException(
          Reason.ADDRESS_IN_USE, "port %d is in use by another listener".formatted(port));
    }
    int backlog = backlog(listen.backlog());
    listenerQuota.take(1);
    int number = service.nextNumber();
    try {
      PairedSocket[] ends = PairedSocket.ofMessages("rddp-listener");
      ends[0].forbidDescriptors();
      StreamListener made =
          new StreamListener(
              number,
              address,
              only6,
              reuses,
              listen.socket(),
              port,
              backlog,
              sections.toArray(StreamSection[]::new));
      ProgramListener listener = new ProgramListener(server, this, made, ends[0]);
      service.begin(listener);
      listeners.put(number, listener);
      program.send(
          new DaemonMessage.StreamListening(listen.request(), number, port, ends[1].descriptor()));
    } catch (SystemCallException e) {
      listenerQuota.give(1);
      throw new RequestRefusedException(Reason.RESOURCES, "no listener: " + e.getMessage());
    }
  }

  /**
   * A thread that sends to a program with a listener at a port: it may not have closed its own copy
   * of a socket that the program has got, and closed, already. Null if there is none.
   */
  private ProgramLink sendingAt(int port) {
    return service.ports().at(port).stream()
        .map(each -> service.owner(each).program())
        .filter(each -> !each.ended)
        .map(ProgramSockets::link)
        .filter(each -> each.unsent() > 0)
        .findFirst()
        .orElse(null);
  }

  private void listenAgain(ProgramMessage.StreamListen listen) {
    if (!ended) {
      try {
        listen(listen, false);
      } catch (RequestRefusedException e) {
        program.answer(listen.request(), e);
      }
    }
  }

  private boolean isFree(
      HostAddress address, boolean only6, int port, boolean reuses, long socket) {
    for (StreamListener each : service.ports().at(port)) {
      boolean group =
          each.sharesPort(reuses, socket)
              && each.onlyIpv6() == only6
              && each.address().equals(address)
              && service.owner(each).program().user() == user();
      if (!group && each.overlaps(address, only6)) {
        return false;
      }
    }
    return true;
  }

  private int user() {
    return process.uid();
  }

  private int freePort(HostAddress address, boolean only6) throws RequestRefusedException {
    int start = ThreadLocalRandom.current().nextInt(EPHEMERAL_PORTS);
    for (int i = 0; i < EPHEMERAL_PORTS; i++) {
      int port = FIRST_EPHEMERAL_PORT + (start + i) % EPHEMERAL_PORTS;
      if (isFree(address, only6, port, false, 0)) {
        return port;
      }
    }
    throw new RequestRefusedException(Reason.ADDRESS_IN_USE, "no port is free");
  }

  /** Ends a listener; does nothing if it has ended. */
  void endListener(int number) {
    ProgramListener listener = listeners.remove(number);
    if (listener != null) {
      service.end(listener);
      listenerQuota.give(1);
    }
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

  /** Whether the session has ended, and no engine serves it; its streams go on. */
  boolean hasLeft() {
    return hasLeft;
  }

  /** The program's listeners, by number. */
  Collection<ProgramListener> allListeners() {
    return listeners.values();
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
    Iterator<ProgramListener> written = List.copyOf(listeners.values()).iterator();
    while (snapshot.flag("listeners", written.hasNext())) {
      ProgramListener each =
          ProgramListener.transfer(
              snapshot, descriptors, server, this, reads ? null : written.next());
      if (reads) {
        inherit(snapshot, each);
      }
    }
    snapshot.end();
  }

  private void inherit(Snapshot snapshot, ProgramListener listener) {
    try {
      service.begin(listener);
    } catch (RequestRefusedException e) {
      throw snapshot.wrong("no listener: " + e.getMessage());
    }
    listenerQuota.add(1);
    listeners.put(listener.listener().number(), listener);
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
    List.copyOf(listeners.keySet()).forEach(this::endListener);
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
