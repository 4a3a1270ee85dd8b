package org.rddp.daemon.control;

import java.util.List;
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
import org.rddp.daemon.engine.SessionOwner;
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
  private final long connectedAt = System.nanoTime();
  private final Quota regions;
  private final Quota octets;
  private final Quota memories;
  private final ProgramListeners listeners;
  private final ProgramConnections connectionRequests;
  private final ProgramQueuePairs queuePairs;
  private final ProgramMemory memory;
  private final ProgramMemoryRequests memoryRequests;
  private final ProgramRegions regionRequests;
  private final ProgramWindows windows;
  private final ProgramReceiveQueues receiveQueues;
  private final ProgramCapture capture;
  private final ObjectList list;
  private final ProgramAssociations associations;
  private final ProgramKeyExchange keyExchange;
  private String program = "";
  private String name;
  private InterfaceEngine daemonInterface;

  private Session session;
  private ProgramMapping rings;
  private PrivateMemory inlineMemory;
  private int inWork;
  private int processKey = PollSet.NONE;

  /** Requests of peers that have not been sent to the program yet, by listener. */
  private final SharedCounts unsentRequests = new SharedCounts();

  /** Most connections of the session. */
  private final int connections;

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
    this.regions =
        new Quota("regions of this program", limits.session().regions(), share.regions());
    this.octets =
        new Quota("octets of this program's memory", limits.sessionMemory(), share.memory());
    this.listeners =
        new ProgramListeners(
            server,
            this,
            new Quota("listeners of this program", limits.sessionListeners(), share.listeners()));
    this.connectionRequests = new ProgramConnections(this);
    this.queuePairs = new ProgramQueuePairs(this, connections);
    this.memories =
        new Quota("memories of this program", limits.session().memories(), share.memories());
    this.memory = new ProgramMemory(octets, memories, mappingThreads);
    this.memoryRequests =
        new ProgramMemoryRequests(this, memory, server.adoptedFiles(), mappingThreads);
    this.regionRequests =
        new ProgramRegions(this, regions, memory, octets, memories, mappingThreads);
    this.windows = new ProgramWindows(this, regions);
    this.receiveQueues = new ProgramReceiveQueues(this, limits);
    this.capture = new ProgramCapture(server, this, octets);
    this.list = new ObjectList(server, this);
    this.associations = new ProgramAssociations(server, this);
    this.keyExchange = new ProgramKeyExchange(server, this);
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

  Quota regions() {
    return regions;
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
    Descriptor peer = socket.peerProcess();
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
    return session == null && !yielding;
  }

  /** Whether the session ends or has ended. */
  boolean hasEnded() {
    return ended;
  }

  /** Whether the program has opened a session and shared the rings. */
  boolean hasBegun() {
    return begun;
  }

  ObjectList objectList() {
    return list;
  }

  ProgramAssociations associations() {
    return associations;
  }

  ProgramListeners listeners() {
    return listeners;
  }

  InterfaceEngine daemonInterface() {
    return daemonInterface;
  }

  /** Whether the program has shared the rings, which are being populated. */
  boolean isSharingRings() {
    return rings != null && rings.isPopulating();
  }

  /** Octets of memory shared with the program, without the rings. */
  long memoryOctets() {
    return octets.used();
  }

  // ---- Messages from the program ----

  /** Lets the link receive further messages, unless too many requests are in work. */
  void readOn() {
    if (!receiving && inWork < MAX_IN_WORK && !list.isBusy()) {
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
      try {
        handle(message);
      } catch (RuntimeException | Error e) {
        server.faults().onFault("a request of " + name, e);
        end("internal error: " + e, null);
      }
    }
  }

  private void handle(ProgramMessage message) {
    try {
      if (message instanceof ProgramMessage.ListInterfaces next) {
        listInterfaces(next);
      } else if (session == null) {
        serveWithoutSession(message);
      } else if (!begun) {
        serveUntilBegun(message);
      } else {
        serve(message);
      }
    } catch (RequestRefusedException e) {
      refuse(message.request(), e);
    }
  }

  private void serveWithoutSession(ProgramMessage message) throws RequestRefusedException {
    if (!(message instanceof ProgramMessage.Hello hello)) {
      link.execute(message::closeDescriptors);
      throw new RequestRefusedException(Reason.PROTOCOL, "the first message must be Hello");
    }
    open(hello);
  }

  private void serveUntilBegun(ProgramMessage message) throws RequestRefusedException {
    switch (message) {
      case ProgramMessage.ShareMemory share
          when share.memory() == ProgramMessage.ShareMemory.RINGS ->
          share(share);
      case ProgramMessage.CloseSession close -> close(close);
      default -> {
        link.execute(message::closeDescriptors);
        throw new RequestRefusedException(
            Reason.STATE, "the session begins with ShareMemory for the rings");
      }
    }
  }

  private void serve(ProgramMessage message) throws RequestRefusedException {
    int request = message.request();
    switch (message) {
      case ProgramMessage.ListInterfaces next -> listInterfaces(next);
      case ProgramMessage.Hello hello ->
          throw new RequestRefusedException(Reason.STATE, "the session is already open");
      case ProgramMessage.AllocateMemory allocate -> memoryRequests.allocate(allocate);
      case ProgramMessage.AdoptMemory adopt -> memoryRequests.adopt(adopt);
      case ProgramMessage.FreeMemory free -> memoryRequests.free(free);
      case ProgramMessage.ShareMemory share -> share(share);
      case ProgramMessage.Register register -> regionRequests.register(session, register);
      case ProgramMessage.RegisterPieces register -> regionRequests.register(session, register);
      case ProgramMessage.Deregister deregister -> regionRequests.deregister(session, deregister);
      case ProgramMessage.Listen listen -> listeners.listen(session, listen);
      case ProgramMessage.CloseListener close -> listeners.close(session, close);
      case ProgramMessage.Accept accept -> connectionRequests.accept(session, accept);
      case ProgramMessage.Reject reject -> connectionRequests.reject(session, reject);
      case ProgramMessage.Connect connect -> connectionRequests.connect(session, connect);
      case ProgramMessage.Disconnect disconnect ->
          connectionRequests.disconnect(session, disconnect);
      case ProgramMessage.CreateNumber create -> queuePairs.create(session, create);
      case ProgramMessage.FreeNumber free -> queuePairs.free(session, free);
      case ProgramMessage.Expect expect -> queuePairs.expect(session, expect);
      case ProgramMessage.ExpectPsn said -> queuePairs.expectPsn(session, said);
      case ProgramMessage.OpenCounters open ->
          send(new DaemonMessage.CountersOpened(request, server.countersDescriptor()));
      case ProgramMessage.StartCapture start -> capture.start(start);
      case ProgramMessage.StartTrace start -> capture.start(start);
      case ProgramMessage.FindConnection find -> capture.find(find);
      case ProgramMessage.StopCapture stop -> {
        capture.stop();
        send(new DaemonMessage.Done(request));
      }
      case ProgramMessage.AllocateWindow allocate -> windows.allocate(session, allocate);
      case ProgramMessage.FreeWindow free -> windows.free(session, free);
      case ProgramMessage.CreateReceiveQueue create -> receiveQueues.create(session, create);
      case ProgramMessage.ArmReceiveQueue arm -> receiveQueues.arm(session, arm);
      case ProgramMessage.DestroyReceiveQueue destroy -> receiveQueues.destroy(session, destroy);
      case ProgramMessage.ListObjects next -> list.list(next);
      case ProgramMessage.AddAssociation add -> associations.add(add);
      case ProgramMessage.DeleteAssociation delete -> associations.delete(delete);
      case ProgramMessage.BeginKeyExchange begin -> keyExchange.begin(begin);
      case ProgramMessage.SendKeyDatagram send -> keyExchange.send(send);
      case ProgramMessage.CloseSession close -> close(close);
    }
  }

  private void close(ProgramMessage.CloseSession close) {
    end(null, new DaemonMessage.Done(close.request()));
  }

  private static void checkVersion(int version) throws RequestRefusedException {
    if (version != ControlMessage.VERSION) {
      throw new RequestRefusedException(
          Reason.VERSION, "this daemon supports version " + ControlMessage.VERSION);
    }
  }

  private void listInterfaces(ProgramMessage.ListInterfaces next) throws RequestRefusedException {
    checkVersion(next.version());
    server.permissions().checkSession(socket.peer());
    send(server.interfaces().list(next.request(), next.index()));
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
      Limits limits = server.limits();
      SessionSizes sizes = limits.granted(hello.sizes());
      SessionLimits sessionLimits = limits.ofSession(sizes);
      takeHeap(sessionLimits);
      regions.limit(sizes.regions());
      memories.limit(sizes.memories());
      receiveQueues.limit(sizes.completions());
      long size = DaemonRings.octets(sizes.requests(), sizes.completions());
      SharedMemory shared = SharedMemory.create("rddp-rings", size);
      rings = ProgramMapping.ofRings(shared, () -> unmapWith(shared), mappingThreads);
      inlineMemory = PrivateMemory.map(Session.inlineOctets(sessionLimits));
      shared.populate(0, size);
      WakeSocket[] wakeSockets = WakeSocket.pair();
      Engine engine = chosen.engine();
      link.use(wakeSockets[0], wakeSockets[1], engine.sleep());
      socket.permitDescriptors();
      DaemonRings ends = new DaemonRings(shared.segment(), sizes.requests(), sizes.completions());
      if (engine.sleep().isAllowed()) {
        ends.allowSleep();
      }
      if (!hello.program().isBlank()) {
        program = LogText.shortened(hello.program(), MAX_NAME);
        name = program + " (pid " + process.pid() + ")";
      }
      SessionOwner owner = chosen.owner(process, limits);
      session =
          new Session(
              number,
              program,
              engine,
              sessionLimits,
              ends,
              inlineMemory.segment(),
              link::wakeProgram,
              this,
              owner,
              heap);
      send(
          new DaemonMessage.Welcome(
              hello.request(),
              ControlMessage.VERSION,
              sessionLimits,
              chosen.name(),
              chosen.address(),
              rings.descriptor(),
              wakeSockets[1].descriptor()));
    } catch (SystemCallException e) {
      // The program's link ends, which frees what was created.
      throw new RequestRefusedException(Reason.RESOURCES, "no session: " + e.getMessage());
    }
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

  private void share(ProgramMessage.ShareMemory share) throws RequestRefusedException {
    int request = share.request();
    switch (share.memory()) {
      case ProgramMessage.ShareMemory.RINGS -> rings.share(refusal -> begin(request, refusal));
      case ProgramMessage.ShareMemory.CAPTURE -> capture.share(request);
      default -> memoryRequests.share(share);
    }
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

  private void sendInOrder(DaemonMessage message) {
    if (ended) {
      return;
    }
    if (message instanceof DaemonMessage.Refused refused) {
      server.events().refused(logFields(), socket.peer().uid(), refused.text());
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
    if (session == null) {
      end("refused: " + e.getMessage(), null);
    }
  }

  private static DaemonMessage refusal(int request, RequestRefusedException e) {
    // The text may name another program.
    String text = LogText.escaped(e.getMessage(), MAX_REFUSAL);
    return new DaemonMessage.Refused(request, e.reason(), 0, text);
  }

  /** Logs that an engine could not wake the program quickly. */
  void reportSlowWaking() {
    server
        .events()
        .warn(
            logFields(),
            socket.peer().uid(),
            "waking the program took longer than 1 ms, since very many threads or epoll instances"
                + " wait for its wake-up socket: from now on no engine wakes programs of its user,"
                + " but a thread for each of them");
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
   * @param why reason for the log; null if the program closed the session
   * @param last sent after everything else is freed and before the socket is closed; or null
   */
  void end(String why, DaemonMessage last) {
    if (ended) {
      return;
    }
    capture.stop();
    ended = true;
    server.onEnding(this);
    server.events().sessionEnded(logFields(), socket.peer().uid(), why);
    if (session == null) {
      release(last);
      return;
    }
    Engine engine = daemonInterface.engine();
    engine.execute(() -> {
      keyExchange.end();
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
    regionRequests.close(() ->
        memory.close(() -> {
          if (rings == null) {
            releaseLast(last);
          } else {
            rings.release(() -> releaseLast(last));
          }
        }));
  }

  /** Unmaps the rings and the memory for inline messages. Not on the control thread. */
  private void unmapWith(SharedMemory sharedRings) {
    sharedRings.close();
    if (inlineMemory != null) {
      inlineMemory.close();
    }
  }

  private void releaseLast(DaemonMessage last) {
    listeners.end();
    if (session != null) {
      queuePairs.end(session);
    }
    regions.giveAll();
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
