package org.rddp.daemon.control;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SessionLimits;
import org.rddp.client.types.SessionSizes;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.HeapShare;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.daemon.engine.SessionHandler;
import org.rddp.daemon.log.LogFields;
import org.rddp.daemon.log.LogText;
import org.rddp.group.SharedCounts;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.PrivateMemory;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.snapshot.Snapshot;

/**
 * A connected program: carries out its requests, partly on the engine of its interface, and owns
 * the memory shared with it. Control thread only, except for {@link SessionHandler}.
 */
final class ProgramSession implements SessionHandler {
  /** Most messages, not counting events, queued for a program that does not read. */
  private static final int MAX_UNSENT = 4096;

  /** Most events of a connection, from ConnectionRequested to Closed. */
  private static final int EVENTS = 5;

  /** Most requests in work on other threads; at this number no more are read. */
  private static final int MAX_IN_WORK = 64;

  /** Characters kept of a program's name. */
  private static final int MAX_NAME = 64;

  /** Characters kept of a refusal's text. */
  private static final int MAX_REFUSAL = 1024;

  /** A request carried out on the engine's thread; the result is the reply. */
  interface EngineCall {
    DaemonMessage call() throws RequestRefusedException;
  }

  private final ControlServer server;
  private final int number;
  private final ControlSocket socket;
  private final PeerCredentials process;
  private final ProgramLink link;
  private final MappingThreads mappingThreads;
  private final Resources share;
  private final ProgramRequests requests;
  private long connectedAt = System.nanoTime();
  private String program = "";
  private String name;
  private InterfaceEngine daemonInterface;

  private Session session;

  /** Its session for octet streams; null if it has another, or none. */
  private volatile ProgramSockets sockets;

  private ProgramMapping rings;
  private PrivateMemory inlineMemory;
  private int inWork;

  /** Requests that have been read and not answered. */
  private final AtomicInteger unanswered = new AtomicInteger();

  /** The version of the control protocol in its Hello. */
  private int version;

  /** What it was granted; null before Hello. */
  private SessionSizes sizes;

  private SessionLimits limits;
  private int processKey = PollSet.NONE;

  /** Requests of peers that have not been sent to the program yet, by listener. */
  private final SharedCounts unsentRequests = new SharedCounts();

  /** Most connections of the session. */
  private int connections;

  /** Whether messages are being received, or wait to be handled. */
  private boolean receiving = true;

  /** Whether the program ends unless it has sent Hello by now, to make room for others. */
  private boolean yielding;

  /** Whether the program counts among the sessions. */
  private boolean counted;

  /** Heap taken by the session and its connections. */
  private final HeapShare heap;

  /** Whether the program has shared the rings, and the engine serves the session. */
  private boolean begun;

  private boolean ended;

  /**
   * Creates the session of a program that has connected.
   *
   * @param number its number in the daemon
   * @param wake for the thread of its link; closed with it
   * @param share the share of its process in the daemon's resources
   */
  ProgramSession(
      ControlServer server, int number, ControlSocket socket, EventFd wake, Resources share) {
    Limits limits = server.limits();
    this.server = server;
    this.number = number;
    this.socket = socket;
    this.link = new ProgramLink(server, this, socket, wake);
    this.mappingThreads = server.mappingThreads().closingBy(link::execute);
    this.share = share;
    this.connections = limits.sessionConnections();
    this.heap = share.heap().share("this program", Long.MAX_VALUE);
    this.process = socket.peer().ofConnection(number);
    this.name = "pid " + process.pid();
    this.requests = new ProgramRequests(server, this, share);
  }

  /** Its number in the daemon. */
  int number() {
    return number;
  }

  /** The program's own name for itself; empty if it has none. */
  String program() {
    return program;
  }

  /** The engine's part; null before Hello. */
  Session session() {
    return session;
  }

  /** Its session for octet streams; null if it has another, or none. */
  ProgramSockets sockets() {
    return sockets;
  }

  LogFields logFields() {
    String interfaceName = daemonInterface == null ? "" : daemonInterface.name();
    return LogFields.session(interfaceName, number, program, process.pid(), process.uid());
  }

  ControlSocket socket() {
    return socket;
  }

  /** Its process; an invisible one has a negative number, unique to the program. */
  PeerCredentials process() {
    return process;
  }

  /** Polls its process, too: the link does not notice its end while it is blocked. */
  void poll(PollSet poll) {
    // Other processes may go on with a session for octet streams.
    Descriptor peer = sockets == null ? socket.peerProcess() : null;
    processKey = peer == null ? PollSet.NONE : poll.add(peer);
  }

  /** Whether its process has ended, as of the last poll. */
  boolean hasProcessEnded(PollSet poll) {
    return poll.isReady(processKey);
  }

  ProgramLink link() {
    return link;
  }

  MappingThreads mappingThreads() {
    return mappingThreads;
  }

  String name() {
    return name;
  }

  /** Time of the connection, {@link System#nanoTime}. */
  long connectedAt() {
    return connectedAt;
  }

  /** Whether the program has sent Hello and holds a session of the quota. */
  boolean hasSession() {
    return session != null;
  }

  /** Whether the program has not sent Hello, so that it may have to make room for others. */
  boolean isWaiting() {
    return session == null && sockets == null && !yielding;
  }

  /** Whether the session ends or has ended. */
  boolean hasEnded() {
    return ended;
  }

  /** Whether the program has opened a session and shared the rings. */
  boolean hasBegun() {
    return begun || (sockets != null && sockets.hasBegun());
  }

  /** Whether the program has sent Hello, and not shared the rings yet. */
  boolean isBeginning() {
    return (session != null || sockets != null) && !hasBegun();
  }

  ProgramRequests requests() {
    return requests;
  }

  InterfaceEngine daemonInterface() {
    return daemonInterface;
  }

  /** Whether the program has shared the rings, which are being populated. */
  boolean isSharingRings() {
    return rings != null && rings.isPopulating();
  }

  // ---- Messages from the program ----

  /** Lets the link receive further messages, unless too many requests are in work. */
  void readOn() {
    if (!receiving && inWork < MAX_IN_WORK && !requests.list().isBusy()) {
      receiving = true;
      link.readOn();
    }
  }

  /** Carries out received requests. */
  void handle(List<ProgramMessage> messages) {
    receiving = false;
    for (ProgramMessage message : messages) {
      if (ended) {
        link.execute(message::closeDescriptors);
        continue;
      }
      unanswered.incrementAndGet();
      try {
        handle(message);
      } catch (RuntimeException | Error e) {
        server.faults().onFault("a request of " + name, e);
        end("internal error: " + e, null);
      }
    }
  }

  /**
   * Carries out a request behind which none waits for the control thread, if that can be done
   * without it. On the link's thread.
   */
  boolean serveAtOnce(ProgramMessage message) {
    ProgramSockets opened = sockets;
    if (opened == null || !(message instanceof ProgramMessage.StreamConnect connect)) {
      return false;
    }
    unanswered.incrementAndGet();
    boolean served = opened.connectAtOnce(connect);
    if (!served) {
      unanswered.decrementAndGet();
    }
    return served;
  }

  private void handle(ProgramMessage message) {
    try {
      if (message instanceof ProgramMessage.ListInterfaces next) {
        listInterfaces(next);
      } else if (sockets != null) {
        sockets.serve(message);
      } else if (session == null) {
        serveWithoutSession(message);
      } else {
        serve(message);
      }
    } catch (RequestRefusedException e) {
      refuse(message.request(), e);
    }
  }

  private void serveWithoutSession(ProgramMessage message) throws RequestRefusedException {
    if (message instanceof ProgramMessage.SocketsHello hello) {
      open(hello);
      return;
    }
    if (!(message instanceof ProgramMessage.Hello hello)) {
      link.execute(message::closeDescriptors);
      throw new RequestRefusedException(Reason.PROTOCOL, "the first message must be Hello");
    }
    open(hello);
  }

  private void serve(ProgramMessage message) throws RequestRefusedException {
    switch (message) {
      case ProgramMessage.ShareMemory share
          when share.memory() == ProgramMessage.ShareMemory.RINGS ->
          rings.share(refusal -> begin(share.request(), refusal));
      case ProgramMessage.CloseSession close -> end(null, new DaemonMessage.Done(close.request()));
      case ProgramMessage.Hello _ when begun ->
          throw new RequestRefusedException(Reason.STATE, "the session is already open");
      case ProgramMessage _ when begun -> requests.serve(session, message);
      default -> {
        link.execute(message::closeDescriptors);
        throw new RequestRefusedException(
            Reason.STATE, "the session begins with ShareMemory for the rings");
      }
    }
  }

  private static void checkVersion(int version) throws RequestRefusedException {
    if (!ControlMessage.isSupported(version)) {
      throw new RequestRefusedException(
          Reason.VERSION,
          "this daemon supports versions %d to %d"
              .formatted(ControlMessage.OLDEST_VERSION, ControlMessage.VERSION));
    }
  }

  private void listInterfaces(ProgramMessage.ListInterfaces next) throws RequestRefusedException {
    checkVersion(next.version());
    server.permissions().checkSession(socket.peer());
    send(server.interfaces().list(next.request(), next.index()));
  }

  private void open(ProgramMessage.SocketsHello hello) throws RequestRefusedException {
    checkVersion(hello.version());
    server.permissions().checkSession(socket.peer());
    share.sessions().take(1);
    counted = true;
    version = hello.version();
    sockets = new ProgramSockets(server, this, process);
    takeName(hello.program());
    sockets.open(hello);
  }

  private void takeName(String given) {
    if (!given.isBlank()) {
      program = LogText.shortened(given, MAX_NAME);
      name = program + " (pid " + process.pid() + ")";
    }
  }

  private void open(ProgramMessage.Hello hello) throws RequestRefusedException {
    checkVersion(hello.version());
    server.permissions().checkSession(socket.peer());
    InterfaceEngine chosen =
        server
            .interfaces()
            .find(hello.interfaceName(), server.watches()::isStuck, server::sessions);
    daemonInterface = chosen;
    share.sessions().take(1);
    counted = true;
    try {
      version = hello.version();
      sizes = server.limits().granted(hello.sizes());
      limits = server.limits().ofSession(sizes);
      takeHeap(limits);
      requests.limit(sizes);
      long size = DaemonRings.octets(sizes.requests(), sizes.completions());
      SharedMemory shared = SharedMemory.createImmutable("rddp-rings", size);
      rings = ProgramMapping.ofRings(shared, () -> unmapWith(shared), mappingThreads);
      inlineMemory = PrivateMemory.map(Session.inlineOctets(limits));
      shared.populate(0, size);
      WakeSocket[] wakeSockets = WakeSocket.pair();
      Engine engine = chosen.engine();
      link.use(wakeSockets[0], wakeSockets[1], Set.of(engine.sleep()));
      socket.permitDescriptors();
      DaemonRings ends = new DaemonRings(shared.segment(), sizes.requests(), sizes.completions());
      if (engine.sleep().isAllowed()) {
        ends.allowSleep();
      }
      takeName(hello.program());
      session = session(ends);
      send(
          new DaemonMessage.Welcome(
              hello.request(),
              hello.version(),
              limits,
              chosen.name(),
              chosen.address(),
              rings.descriptor(),
              wakeSockets[1].descriptor()));
    } catch (SystemCallException e) {
      // The program's link ends, which frees what was created.
      throw new RequestRefusedException(Reason.RESOURCES, "no session: " + e.getMessage());
    }
  }

  private Session session(DaemonRings ends) {
    return new Session(
        number,
        program,
        daemonInterface.engine(),
        limits,
        ends,
        inlineMemory.segment(),
        link::wakeProgram,
        this,
        daemonInterface.owner(process, server.limits()),
        heap);
  }

  private void takeHeap(SessionLimits limits) throws RequestRefusedException {
    long octets = Session.heapOctets(limits, mostUnsent());
    String what = "a session with %d requests at a time".formatted(limits.completions());
    heap.take(what, octets);
  }

  /** Most messages that wait for the program. */
  private int mostUnsent() {
    return MAX_UNSENT + EVENTS * connections;
  }

  private void begin(int request, RequestRefusedException refusal) {
    if (ended) {
      return;
    }
    if (refusal == null) {
      begun = true;
      link.closeProgramEnd();
      Engine engine = daemonInterface.engine();
      engine.execute(() -> {
        engine.begin(session);
        engine.sleep().add(session, link);
      });
      server.events().session(logFields(), "the session begins");
    }
    answer(request, refusal);
  }

  /** Sends Done, or the refusal if there is one. */
  void answer(int request, RequestRefusedException refusal) {
    send(refusal == null ? new DaemonMessage.Done(request) : refusal(request, refusal));
  }

  // ---- Other threads ----

  /**
   * Runs a part of a request on another thread, and what it returns on the control thread.
   *
   * @param thread runs an action on that thread
   */
  void onThread(Consumer<Runnable> thread, Supplier<Runnable> part) {
    inWork++;
    thread.accept(() -> {
      Runnable rest = part.get();
      server.execute(() -> {
        inWork--;
        rest.run();
      });
    });
  }

  /** Runs a request on the engine's thread and sends the reply. */
  void onEngine(int request, EngineCall call) {
    onThread(
        daemonInterface.engine()::execute,
        () -> {
          DaemonMessage reply = ended ? null : reply(request, call);
          return () -> {
            if (reply != null) {
              send(reply);
            }
          };
        });
  }

  private DaemonMessage reply(int request, EngineCall call) {
    try {
      return call.call();
    } catch (RequestRefusedException e) {
      return refusal(request, e);
    } catch (RuntimeException | Error e) {
      server.faults().onFault("request of " + name, e);
      return new DaemonMessage.Refused(request, Reason.INTERNAL, 0, e.toString());
    }
  }

  /** Runs an action on the control thread. Any thread may call this. */
  void onControl(Runnable action) {
    server.execute(action);
  }

  // ---- Messages to the program ----

  /** Sends a message. Any thread may call this. */
  @Override
  public void send(DaemonMessage message) {
    if (message instanceof DaemonMessage.ConnectionRequested requested) {
      unsentRequests.add(requested.listener());
    }
    if (server.isOnItsThread()) {
      sendInOrder(message);
    } else {
      server.execute(() -> sendInOrder(message));
    }
  }

  /** Sends the reply to a request ahead of what waits for the control thread. Any thread. */
  void sendAtOnce(DaemonMessage reply) {
    unanswered.decrementAndGet();
    link.send(reply);
  }

  private void sendInOrder(DaemonMessage message) {
    if (ended) {
      return;
    }
    if (message instanceof DaemonMessage.Refused refused) {
      server.events().refused(logFields(), socket.peer().uid(), refused.text());
    }
    if (message.request() != 0) {
      unanswered.decrementAndGet();
    }
    link.send(message);
    if (link.unsent() > mostUnsent()) {
      end("it does not read the daemon's messages", null);
    }
  }

  @Override
  public boolean hasRoomForRequest(int listener, int backlog) {
    return unsentRequests.of(listener) < backlog && unsentRequests.total() < connections;
  }

  /** Counts a peer's request that was sent to the program. Any thread may call this. */
  void onRequestSent(DaemonMessage.ConnectionRequested requested) {
    unsentRequests.remove(requested.listener());
  }

  /** Counts a peer's request that ended before it was sent. Any thread may call this. */
  void onRequestWithdrawn(DaemonMessage.ConnectionRequested requested) {
    unsentRequests.remove(requested.listener());
    daemonInterface.engine().counters().countWithdrawn();
  }

  private void refuse(int request, RequestRefusedException e) {
    send(refusal(request, e));
    if (session == null && (sockets == null || !sockets.hasBegun())) {
      end("refused: " + e.getMessage(), null);
    }
  }

  private static DaemonMessage refusal(int request, RequestRefusedException e) {
    // The text may name another program.
    String text = LogText.escaped(e.getMessage(), MAX_REFUSAL);
    return new DaemonMessage.Refused(request, e.reason(), e.detail(), text);
  }

  // ---- Another daemon goes on with it ----

  /** Whether nothing is under way that the program has asked for. */
  boolean isIdle() {
    return inWork == 0 && unanswered.get() == 0;
  }

  /** What keeps another daemon from going on with the session; empty if nothing does. */
  String keptBy() {
    if (version < ControlMessage.KNOWS_SUCCESSORS) {
      return "ends its session with this process, by version %d of the control protocol"
          .formatted(version);
    }
    if (sockets != null) {
      return sockets.keptBy();
    }
    return rings.canGoOver() ? requests.keptBy() : "has rings that no other process can map";
  }

  /**
   * Transfers a program that has no session, or one that has begun, while nothing is under way.
   *
   * @param written the session; null if it is read
   */
  static void transfer(
      Snapshot snapshot,
      HandedDescriptors descriptors,
      ProgramAdmission admission,
      ProgramSession written) {
    snapshot.begin(ProgramSession.class);
    boolean reads = written == null;
    int number = snapshot.number("number", reads ? 0 : written.number, 1, Integer.MAX_VALUE);
    Descriptor socket = descriptors.transfer(reads ? null : written.socket.descriptor());
    ProgramSession session = reads ? admission.inherit(number, socket) : written;
    session.transfer(snapshot, descriptors);
    snapshot.end();
  }

  private void transfer(Snapshot snapshot, HandedDescriptors descriptors) {
    connectedAt = snapshot.number("connectedAt", connectedAt);
    if (snapshot.flag("begun", hasBegun())) {
      transferSession(snapshot, descriptors);
    }
    link.transfer(snapshot);
  }

  private void transferSession(Snapshot snapshot, HandedDescriptors descriptors) {
    takeName(snapshot.text("program", program));
    version = snapshot.number("version", version);
    Descriptor wake = descriptors.transfer(snapshot.reads() ? null : link.descriptor());
    if (snapshot.flag("sockets", sockets != null)) {
      transferSockets(snapshot, descriptors, wake);
    } else {
      transferRings(snapshot, descriptors, wake);
    }
  }

  private void transferSockets(Snapshot snapshot, HandedDescriptors descriptors, Descriptor wake) {
    if (snapshot.reads()) {
      share.sessions().add(1);
      counted = true;
      sockets = new ProgramSockets(server, this, process);
    }
    sockets.transfer(snapshot, descriptors);
    if (snapshot.reads()) {
      sockets.goOn(new WakeSocket(wake));
    }
  }

  private void transferRings(Snapshot snapshot, HandedDescriptors descriptors, Descriptor wake) {
    boolean reads = snapshot.reads();
    String on = snapshot.text("interface", reads ? null : daemonInterface.name());
    int engine = snapshot.number("engine", reads ? 0 : daemonInterface.number());
    boolean sleeps =
        snapshot.flag("sleeps", !reads && daemonInterface.engine().sleep().isAllowed());
    sizes = snapshot.record("sizes", SessionSizes.class, sizes);
    limits = snapshot.record("limits", SessionLimits.class, limits);
    Descriptor memory = descriptors.transfer(reads ? null : rings.descriptor());
    if (reads) {
      SharedMemory shared = HandedDescriptors.map(memory);
      rings = ProgramMapping.ofRings(shared, () -> unmapWith(shared), mappingThreads);
      rings.transfer(snapshot);
      goOn(snapshot, server.interfaces().require(snapshot, on, engine), shared, wake);
      if (!sleeps && daemonInterface.engine().sleep().isAllowed()) {
        throw snapshot.wrong(
            "the engine of %s never sleeps in the daemon that runs, so programs would not wake it"
                .formatted(daemonInterface.engine().name()));
      }
    } else {
      rings.transfer(snapshot);
    }
    requests.transfer(snapshot, descriptors, session);
  }

  private void goOn(
      Snapshot snapshot, InterfaceEngine chosen, SharedMemory shared, Descriptor wake) {
    daemonInterface = chosen;
    connections = limits.connections();
    share.sessions().add(1);
    counted = true;
    begun = true;
    requests.limit(sizes);
    Engine engine = chosen.engine();
    link.use(new WakeSocket(wake), null, Set.of(engine.sleep()));
    try {
      takeHeap(limits);
      inlineMemory = PrivateMemory.map(Session.inlineOctets(limits));
      session =
          session(DaemonRings.inherit(shared.segment(), sizes.requests(), sizes.completions()));
      engine.sleep().add(session, link);
    } catch (RequestRefusedException
        | SystemCallException
        | IllegalArgumentException
        | IllegalStateException e) {
      throw snapshot.wrong("no session for " + name + ": " + e.getMessage());
    }
  }

  /** Counts a message that another daemon has not sent to the program. */
  void onUnsentAgain(DaemonMessage message) {
    if (message instanceof DaemonMessage.ConnectionRequested requested) {
      unsentRequests.add(requested.listener());
    }
  }

  // ---- The end ----

  /** Ends the session. Called on the engine's thread. */
  @Override
  public void onBroken(String detail) {
    server.execute(() -> end(detail, null));
  }

  /**
   * Ends the session: first in the engine, then frees the shared memory.
   *
   * @param why the error; null if the program closed the session
   * @param last sent after everything else is freed and before the socket is closed; or null
   */
  void end(String why, DaemonMessage last) {
    end(why, why != null, last);
  }

  /**
   * Ends the session for a reason that is no error, such as the end of its program.
   *
   * @param why reason for the log
   */
  void endInOrder(String why) {
    end(why, false, null);
  }

  private void end(String why, boolean isError, DaemonMessage last) {
    if (ended) {
      return;
    }
    requests.stopCapture();
    ended = true;
    server.onEnding(this);
    if (isError || hasBegun()) {
      server.events().sessionEnded(logFields(), socket.peer().uid(), why, isError);
    }
    if (sockets != null) {
      sockets.end(() -> release(last));
      return;
    }
    if (session == null) {
      release(last);
      return;
    }
    Engine engine = daemonInterface.engine();
    engine.execute(() -> {
      requests.endKeyExchange();
      engine.end(session);
      engine.sleep().remove(session);
      server.execute(() -> release(last));
    });
  }

  /** Ends the program for this reason, unless its Hello has arrived by now. */
  void yieldPlace(String why) {
    yielding = true;
    link.afterMessages(() -> {
      yielding = false;
      if (session == null) {
        end(why, null);
      }
    });
  }

  /**
   * Ends the session of a stuck engine. The program is told now; the rest follows when the engine
   * makes turns again.
   *
   * @param why reason for the log
   */
  void abandon(String why) {
    end(why, null);
    link.shutdown();
  }

  private void release(DaemonMessage last) {
    requests.releaseMemory(() -> {
      if (rings == null) {
        releaseLast(last);
      } else {
        rings.release(() -> releaseLast(last));
      }
    });
  }

  /** Unmaps the rings and the memory for inline messages. Not on the control thread. */
  private void unmapWith(SharedMemory sharedRings) {
    sharedRings.close();
    if (inlineMemory != null) {
      inlineMemory.close();
    }
  }

  private void releaseLast(DaemonMessage last) {
    requests.end(session);
    server.onEnded(this);
    link.end(
        last,
        () -> {
          if (counted) {
            share.sessions().give(1);
            heap.giveAll();
          }
        });
  }

  /** Gives back the remaining resources, after the link's end. */
  void leave() {
    link.release();
    share.programs().give(1);
  }
}
