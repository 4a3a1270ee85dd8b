package org.rddp.client;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SessionLimits;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.WakeSocket;
import org.rddp.ipc.ring.CaptureRing;
import org.rddp.ipc.ring.ConnectionId;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.RangeAllocator;
import org.rddp.ipc.ring.WorkRequest;

/** A program's session with the {@link FakeDaemon}. */
final class FakeSession {
  /** A memory and its allocated pieces; pieces is null if the program owns the memory. */
  private record Memory(SharedMemory shared, RangeAllocator pieces) {}

  /** A registered range. */
  record Range(int memory, long address, long length, int rights) {}

  static final SessionLimits LIMITS =
      new SessionLimits(64, 16, 32, WorkRequest.MAX_INLINE, 16, 64, 16, 1L << 33);
  private static final int SUBMISSION_SLOTS = 64;
  private static final long SLAB = 1 << 16;

  private final FakeDaemon daemon;
  private final ControlSocket socket;
  private final WorkRequest request = new WorkRequest();
  private final Map<Integer, Memory> memories = new HashMap<>();
  private final Map<Integer, Range> ranges = new HashMap<>();
  private final List<FakeConnection> connections = new ArrayList<>();
  private SharedMemory ringMemory;
  private DaemonRings rings;
  private WakeSocket signal;
  private WakeSocket programSignal;
  private CaptureRing capture;
  private int lastNumber;
  private int generation;
  private boolean over;

  FakeSession(FakeDaemon daemon, ControlSocket socket) {
    this.daemon = daemon;
    this.socket = socket;
  }

  void addTo(PollSet poll) {
    poll.add(socket.descriptor());
  }

  DaemonRings rings() {
    return rings;
  }

  Range range(int stag) {
    return ranges.get(stag);
  }

  /** Runs one turn; work requests come first, as in the engine. */
  boolean work() throws IOException {
    boolean worked = takeRequests();
    ProgramMessage message = socket.receiveFromProgram();
    if (message != null) {
      answer(message);
      worked = true;
    }
    if (over) {
      throw new EOFException("the session was closed");
    }
    if (rings != null && rings.flush()) {
      signal.signal();
    }
    return worked;
  }

  private boolean takeRequests() throws IOException {
    boolean worked = false;
    int taken = rings == null ? DaemonRings.NOTHING : rings.take(request);
    while (taken == DaemonRings.TAKEN) {
      worked = true;
      FakeConnection connection = connection(request.connection());
      if (connection == null) {
        FakeConnection.flush(rings, request);
      } else {
        connection.post(request);
      }
      taken = rings.take(request);
    }
    if (taken == DaemonRings.GARBAGE) {
      throw new IOException("garbage in the rings");
    }
    return worked;
  }

  private void answer(ProgramMessage message) throws IOException {
    if (rings == null && !(message instanceof ProgramMessage.Hello)) {
      throw new IOException("no hello");
    }
    int request = message.request();
    switch (message) {
      case ProgramMessage.Hello hello -> answer(hello);
      case ProgramMessage.AllocateMemory allocate -> allocate(request, allocate.octets());
      case ProgramMessage.AdoptMemory adopt -> adopt(request, adopt.descriptor());
      case ProgramMessage.FreeMemory free -> free(free);
      case ProgramMessage.Register register -> register(register);
      case ProgramMessage.RegisterPieces register ->
          refuse(request, Reason.INVALID, "no pieces here");
      case ProgramMessage.Deregister deregister ->
          doneIf(request, ranges.remove(deregister.stag()) != null);
      case ProgramMessage.Listen listen -> listen(listen);
      case ProgramMessage.CloseListener close -> {
        daemon.ports.remove(close.listener());
        send(new DaemonMessage.Done(request));
      }
      case ProgramMessage.Connect connect -> connect(connect);
      case ProgramMessage.Accept accept -> {
        FakeConnection connection = connection(accept.connection());
        doneIf(request, connection != null);
        if (connection != null) {
          connection.accept(accept.privateData());
        }
      }
      case ProgramMessage.Reject reject -> {
        FakeConnection connection = connection(reject.connection());
        doneIf(request, connection != null);
        if (connection != null) {
          connection.reject(reject.privateData());
        }
      }
      case ProgramMessage.Disconnect disconnect -> {
        FakeConnection connection = connection(disconnect.connection());
        doneIf(request, connection != null);
        if (connection != null) {
          connection.close(Reason.LOCAL_CLOSE, Reason.PEER_CLOSE);
        }
      }
      case ProgramMessage.OpenCounters open ->
          send(new DaemonMessage.CountersOpened(request, daemon.counters.descriptor()));
      case ProgramMessage.StartCapture start -> {
        capture = CaptureRing.create(start.ringOctets(), start.snapLength());
        capture.offer(1, ringMemory.address(), 64);
        send(new DaemonMessage.CaptureStarted(request, capture.descriptor()));
      }
      case ProgramMessage.CreateNumber create -> refuse(request, Reason.LIMIT, "no numbers here");
      case ProgramMessage.FreeNumber free -> refuse(request, Reason.NOT_FOUND, "no such number");
      case ProgramMessage.Expect expect -> refuse(request, Reason.NOT_FOUND, "no such number");
      case ProgramMessage.ExpectPsn said -> refuse(request, Reason.NOT_FOUND, "no connection");
      case ProgramMessage.FindConnection find ->
          refuse(request, Reason.NOT_FOUND, "no connection " + find.connection());
      case ProgramMessage.StartTrace trace ->
          refuse(request, Reason.NOT_FOUND, "no connection " + trace.connection());
      case ProgramMessage.AddAssociation add -> refuse(request, Reason.STATE, "no security policy");
      case ProgramMessage.DeleteAssociation delete ->
          refuse(request, Reason.NOT_FOUND, "no association " + delete.spi());
      case ProgramMessage.BeginKeyExchange begin ->
          refuse(request, Reason.STATE, "no security policy");
      case ProgramMessage.SendKeyDatagram send ->
          refuse(request, Reason.STATE, "no security policy");
      case ProgramMessage.SocketsHello _,
          ProgramMessage.StreamConnect _,
          ProgramMessage.StreamListen _,
          ProgramMessage.StreamListenEnd _,
          ProgramMessage.StreamBacklog _,
          ProgramMessage.StreamWaiter _,
          ProgramMessage.StreamBridge _ ->
          refuse(request, Reason.STATE, "no octet streams here");
      case ProgramMessage.StopCapture stop -> {
        capture.close();
        send(new DaemonMessage.Done(request));
      }
      case ProgramMessage.AllocateWindow allocate ->
          send(new DaemonMessage.WindowAllocated(request, ++lastNumber, lastNumber << 8 | 0x57));
      case ProgramMessage.FreeWindow free -> send(new DaemonMessage.Done(request));
      case ProgramMessage.CreateReceiveQueue create ->
          send(new DaemonMessage.ReceiveQueueCreated(request, ++lastNumber));
      case ProgramMessage.ArmReceiveQueue arm -> send(new DaemonMessage.Done(request));
      case ProgramMessage.DestroyReceiveQueue destroy -> send(new DaemonMessage.Done(request));
      case ProgramMessage.ShareMemory share -> share(share);
      case ProgramMessage.ListInterfaces list ->
          send(new DaemonMessage.InterfacesListed(request, 0, List.of()));
      case ProgramMessage.ListObjects list ->
          send(new DaemonMessage.ObjectsListed(request, 0, 0, ""));
      case ProgramMessage.CloseSession close -> {
        send(new DaemonMessage.Done(request));
        over = true;
      }
    }
  }

  private void answer(ProgramMessage.Hello hello) throws IOException {
    if (hello.version() != ControlMessage.VERSION || hello.interfaceName().equals("version")) {
      refuse(hello.request(), Reason.VERSION, "this daemon speaks version 1");
      return;
    }
    if (!hello.interfaceName().isEmpty()) {
      refuse(hello.request(), Reason.NO_INTERFACE, "no interface " + hello.interfaceName());
      return;
    }
    ringMemory =
        SharedMemory.create("rings", DaemonRings.octets(SUBMISSION_SLOTS, LIMITS.completions()));
    rings = new DaemonRings(ringMemory.segment(), SUBMISSION_SLOTS, LIMITS.completions());
    WakeSocket[] ends = WakeSocket.pair();
    signal = ends[0];
    programSignal = ends[1];
    send(
        new DaemonMessage.Welcome(
            hello.request(),
            ControlMessage.VERSION,
            LIMITS,
            "test0",
            IpAddress.ipv4(0x0a000001),
            ringMemory.descriptor(),
            programSignal.descriptor()));
  }

  private void allocate(int request, long octets) throws IOException {
    if (octets <= 0 || octets > LIMITS.memoryOctets()) {
      refuse(request, Reason.LIMIT, "memory of " + octets + " octets");
      return;
    }
    for (Map.Entry<Integer, Memory> entry : memories.entrySet()) {
      RangeAllocator pieces = entry.getValue().pieces();
      long offset = pieces == null ? -1 : pieces.allocate(octets);
      if (offset >= 0) {
        send(new DaemonMessage.MemoryAllocated(request, entry.getKey(), offset, octets, null));
        return;
      }
    }
    long size = Math.max(SLAB, octets);
    SharedMemory made = SharedMemory.createImmutable("memory", size);
    Memory memory = new Memory(made, new RangeAllocator(size, 64));
    memory.pieces().allocate(octets);
    memories.put(++lastNumber, memory);
    send(
        new DaemonMessage.MemoryAllocated(
            request, lastNumber, 0, octets, memory.shared().descriptor()));
  }

  private void adopt(int request, Descriptor descriptor) throws IOException {
    SharedMemory shared;
    try {
      shared = SharedMemory.map(descriptor);
    } catch (IOException e) {
      refuse(request, Reason.UNSAFE_MEMORY, e.getMessage());
      return;
    }
    memories.put(++lastNumber, new Memory(shared, null));
    send(new DaemonMessage.MemoryAdopted(request, lastNumber));
  }

  private void share(ProgramMessage.ShareMemory share) throws IOException {
    SharedMemory shared =
        switch (share.memory()) {
          case ProgramMessage.ShareMemory.RINGS -> ringMemory;
          case ProgramMessage.ShareMemory.CAPTURE -> capture.memory();
          default -> memories.get(share.memory()).shared();
        };
    if (shared.forbidsHoles()) {
      shared.descriptor().close();
      send(new DaemonMessage.Done(share.request()));
    } else {
      refuse(share.request(), Reason.UNSAFE_MEMORY, "holes are not forbidden");
    }
  }

  private void free(ProgramMessage.FreeMemory free) throws IOException {
    Memory memory = memories.get(free.memory());
    if (memory == null) {
      refuse(free.request(), Reason.NOT_FOUND, "no memory " + free.memory());
      return;
    }
    if (ranges.values().stream().anyMatch(range -> range.memory() == free.memory())
        && memory.pieces() == null) {
      refuse(free.request(), Reason.STATE, "a region on it is registered");
      return;
    }
    if (memory.pieces() != null) {
      memory.pieces().free(free.offset());
    }
    if (memory.pieces() == null || memory.pieces().isEmpty()) {
      memories.remove(free.memory());
      memory.shared().close();
    }
    send(new DaemonMessage.Done(free.request()));
  }

  private void register(ProgramMessage.Register register) throws IOException {
    Memory memory = memories.get(register.memory());
    if (memory == null || register.offset() + register.octets() > memory.shared().length()) {
      refuse(register.request(), Reason.INVALID, "range");
      return;
    }
    int stag = ++lastNumber << 8 | 0x42;
    long address = memory.shared().address() + register.offset();
    int rights = register.settings().rights();
    ranges.put(stag, new Range(register.memory(), address, register.octets(), rights));
    send(new DaemonMessage.Registered(register.request(), stag, register.settings().baseTo()));
  }

  private void listen(ProgramMessage.Listen listen) throws IOException {
    int port = listen.port() == 0 ? ++daemon.lastPort : listen.port();
    if (daemon.ports.putIfAbsent(port, this) != null) {
      refuse(listen.request(), Reason.ADDRESS_IN_USE, "port " + port + " is in use");
      return;
    }
    send(new DaemonMessage.Listening(listen.request(), port, IpAddress.ipv4(0x0a000001), port));
  }

  private void connect(ProgramMessage.Connect connect) throws IOException {
    FakeConnection mine = newConnection();
    send(new DaemonMessage.Connecting(connect.request(), mine.id()));
    FakeSession other = daemon.ports.get(connect.remotePort());
    if (other == null) {
      connections.remove(mine);
      send(new DaemonMessage.Failed(mine.id(), Reason.REFUSED, 0, "no program listens there"));
      return;
    }
    FakeConnection theirs = other.newConnection();
    FakeConnection.join(mine, theirs);
    other.send(
        new DaemonMessage.ConnectionRequested(
            connect.remotePort(),
            theirs.id(),
            IpAddress.ipv4(0x0a000001),
            connect.remotePort(),
            IpAddress.ipv4(0x0a000002),
            50_000,
            FakeConnection.TERMS,
            connect.privateData()));
  }

  private FakeConnection newConnection() {
    int index = 0;
    while (connection(index) != null) {
      index++;
    }
    FakeConnection connection = new FakeConnection(this, ConnectionId.of(index, ++generation));
    connections.add(connection);
    return connection;
  }

  private FakeConnection connection(int id) {
    for (FakeConnection connection : connections) {
      if (ConnectionId.index(connection.id()) == ConnectionId.index(id)) {
        return connection;
      }
    }
    return null;
  }

  void remove(FakeConnection connection) {
    connections.remove(connection);
  }

  private void doneIf(int request, boolean found) throws IOException {
    if (found) {
      send(new DaemonMessage.Done(request));
    } else {
      refuse(request, Reason.NOT_FOUND, "no such thing");
    }
  }

  private void refuse(int request, Reason reason, String text) throws IOException {
    send(new DaemonMessage.Refused(request, reason, 0, text));
  }

  void send(DaemonMessage message) throws IOException {
    if (!socket.send(message)) {
      throw new IOException("the program does not read");
    }
  }

  void end() {
    for (FakeConnection connection : List.copyOf(connections)) {
      connection.lose();
    }
    daemon.ports.values().removeIf(session -> session == this);
    memories.values().forEach(memory -> memory.shared().close());
    memories.clear();
    ranges.clear();
    socket.close();
    if (ringMemory != null) {
      ringMemory.close();
      signal.close();
      programSignal.close();
    }
    rings = null;
    if (capture != null) {
      capture.close();
    }
  }
}
