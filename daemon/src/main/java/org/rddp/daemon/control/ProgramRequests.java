package org.rddp.daemon.control;

import java.util.List;
import java.util.stream.Stream;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SessionSizes;
import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;

/**
 * The requests of a program whose session has begun: what each kind is carried out by, and the
 * quotas that these share. Control thread only.
 */
final class ProgramRequests {
  private final ControlServer server;
  private final ProgramSession program;
  private final Quota regions;
  private final Quota octets;
  private final Quota memories;
  private final ProgramListeners listeners;
  private final ProgramConnections connections;
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

  /**
   * For a program that has connected.
   *
   * @param share the share of its process in the daemon's resources
   */
  ProgramRequests(ControlServer server, ProgramSession program, Resources share) {
    Limits limits = server.limits();
    MappingThreads mappingThreads = program.mappingThreads();
    this.server = server;
    this.program = program;
    regions = new Quota("regions of this program", limits.session().regions(), share.regions());
    octets = new Quota("octets of this program's memory", limits.sessionMemory(), share.memory());
    memories = new Quota("memories of this program", limits.session().memories(), share.memories());
    listeners =
        new ProgramListeners(
            server,
            program,
            new Quota("listeners of this program", limits.sessionListeners(), share.listeners()));
    connections = new ProgramConnections(program, server.reservedPorts());
    queuePairs = new ProgramQueuePairs(program, limits.sessionConnections());
    memory = new ProgramMemory(octets, memories, mappingThreads);
    memoryRequests =
        new ProgramMemoryRequests(program, memory, server.adoptedFiles(), mappingThreads);
    regionRequests = new ProgramRegions(program, regions, memory, octets, memories, mappingThreads);
    windows = new ProgramWindows(program, regions);
    receiveQueues = new ProgramReceiveQueues(program, limits);
    capture = new ProgramCapture(server, program, octets);
    list = new ObjectList(server, program);
    associations = new ProgramAssociations(server, program);
    keyExchange = new ProgramKeyExchange(server, program);
  }

  Quota regions() {
    return regions;
  }

  ObjectList list() {
    return list;
  }

  ProgramAssociations associations() {
    return associations;
  }

  ProgramListeners listeners() {
    return listeners;
  }

  /** Octets of memory shared with the program, without the rings. */
  long memoryOctets() {
    return octets.used();
  }

  /** Applies what the program has asked for in its Hello, as far as it was granted. */
  void limit(SessionSizes granted) {
    regions.limit(granted.regions());
    memories.limit(granted.memories());
    receiveQueues.limit(granted.completions());
  }

  /** What keeps another daemon from going on with the session; empty if nothing does. */
  String keptBy() {
    return memory.canGoOver() && capture.canGoOver()
        ? ""
        : "has memory that no other process can map";
  }

  /** Transfers what the program has, while no request is in work; when read, it has nothing. */
  void transfer(Snapshot snapshot, HandedDescriptors descriptors, Session session) {
    snapshot.begin(ProgramRequests.class);
    memory.transfer(snapshot, descriptors, server.adoptedFiles());
    regionRequests.transfer(snapshot);
    listeners.transfer(snapshot);
    receiveQueues.transfer(snapshot);
    queuePairs.transfer(snapshot, session);
    capture.transfer(snapshot, descriptors);
    keyExchange.transfer(snapshot);
    long used = snapshot.number("regions", regions.used(), 0, Integer.MAX_VALUE);
    if (snapshot.reads()) {
      regions.add(used);
    }
    snapshot.end();
  }

  /** Its memories that take long to map. */
  Stream<ProgramMapping> largeMemories() {
    return memory.large();
  }

  /** Where the program's memory is mapped. */
  List<Memories.Range> memories() {
    return Stream.concat(memory.ranges().stream(), regionRequests.ranges().stream()).toList();
  }

  /** Carries out a request, other than those that begin and end a session. */
  void serve(Session session, ProgramMessage message) throws RequestRefusedException {
    int request = message.request();
    switch (message) {
      case ProgramMessage.AllocateMemory allocate -> memoryRequests.allocate(allocate);
      case ProgramMessage.AdoptMemory adopt -> memoryRequests.adopt(adopt);
      case ProgramMessage.FreeMemory free -> memoryRequests.free(free);
      case ProgramMessage.ShareMemory share
          when share.memory() == ProgramMessage.ShareMemory.CAPTURE ->
          capture.share(request);
      case ProgramMessage.ShareMemory share -> memoryRequests.share(share);
      case ProgramMessage.Register register -> regionRequests.register(session, register);
      case ProgramMessage.RegisterPieces register -> regionRequests.register(session, register);
      case ProgramMessage.Deregister deregister -> regionRequests.deregister(session, deregister);
      case ProgramMessage.Listen listen -> listeners.listen(session, listen);
      case ProgramMessage.CloseListener close -> listeners.close(session, close);
      case ProgramMessage.Accept accept -> connections.accept(session, accept);
      case ProgramMessage.Reject reject -> connections.reject(session, reject);
      case ProgramMessage.Connect connect -> connections.connect(session, connect);
      case ProgramMessage.Disconnect disconnect -> connections.disconnect(session, disconnect);
      case ProgramMessage.CreateNumber create -> queuePairs.create(session, create);
      case ProgramMessage.FreeNumber free -> queuePairs.free(session, free);
      case ProgramMessage.Expect expect -> queuePairs.expect(session, expect);
      case ProgramMessage.ExpectPsn said -> queuePairs.expectPsn(session, said);
      case ProgramMessage.OpenCounters open ->
          program.send(new DaemonMessage.CountersOpened(request, server.countersDescriptor()));
      case ProgramMessage.StartCapture start -> capture.start(start);
      case ProgramMessage.StartTrace start -> capture.start(start);
      case ProgramMessage.FindConnection find -> capture.find(find);
      case ProgramMessage.StopCapture stop -> {
        capture.stop();
        program.send(new DaemonMessage.Done(request));
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
      case ProgramMessage.SocketsHello _,
          ProgramMessage.StreamConnect _,
          ProgramMessage.StreamListen _,
          ProgramMessage.StreamListenEnd _,
          ProgramMessage.StreamBacklog _,
          ProgramMessage.StreamWaiter _,
          ProgramMessage.StreamBridge _ -> {
        program.link().execute(message::closeDescriptors);
        throw new RequestRefusedException(
            Reason.STATE, "octet streams need a session of their own");
      }
      case ProgramMessage.ListInterfaces _, ProgramMessage.Hello _, ProgramMessage.CloseSession _ ->
          throw new IllegalArgumentException(message.toString());
    }
  }

  /** Goes on with a capture or trace of another daemon, before the first turn of the engines. */
  void goOnCapturing() {
    capture.goOn();
  }

  void stopCapture() {
    capture.stop();
  }

  /** Takes no more keys from the program. On the engine's thread. */
  void endKeyExchange() {
    keyExchange.end();
  }

  /** Deregisters and frees the program's memory, then runs an action. */
  void releaseMemory(Runnable then) {
    regionRequests.close(() -> memory.close(then));
  }

  /**
   * Gives back what is left once its memory has been released.
   *
   * @param session null if the program had none
   */
  void end(Session session) {
    listeners.end();
    if (session != null) {
      queuePairs.end(session);
    }
    regions.giveAll();
  }
}
