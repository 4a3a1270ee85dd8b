package org.rddp.daemon.control;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.rddp.daemon.control.StreamSlot.Claim;
import org.rddp.daemon.engine.Engine;
import org.rddp.daemon.engine.OwnedStreams;
import org.rddp.daemon.engine.StreamListener;
import org.rddp.daemon.engine.StreamParts;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.Doorbells;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

/**
 * Lets another daemon go on with the octet streams of programs: what is outside of the engines, but
 * for the sessions, which come before. While nothing runs; when read, before anything does.
 */
final class StreamHandOver {
  private final ControlServer server;
  private final StreamService service;

  /** Those of all programs, then those that have ended while streams wait for them. */
  private List<StreamListener> listeners = List.of();

  private final Map<Engine, List<StreamParts>> parts = new HashMap<>();

  StreamHandOver(ControlServer server) {
    this.server = server;
    service = server.streams();
  }

  /** What is owned of the streams of an engine, once that has been transferred. */
  OwnedStreams owned(Engine engine) {
    return new OwnedStreams(listeners, parts.get(engine));
  }

  /**
   * Transfers all.
   *
   * @param living the sessions of programs, which have been transferred
   * @param engines of the interfaces that go over
   */
  void transfer(
      Snapshot snapshot,
      HandedDescriptors descriptors,
      List<ProgramSockets> living,
      List<InterfaceEngine> engines) {
    snapshot.begin(StreamHandOver.class);
    service.transfer(snapshot);
    List<ProgramSockets> programs = new ArrayList<>(living);
    programs.addAll(transferEnded(snapshot, descriptors));
    Map<StreamSection, ProgramSockets> owners = new HashMap<>();
    programs.forEach(each -> each.sections().forEach(section -> owners.put(section, each)));
    References<ProgramSockets> references = new References<>(programs);
    parts.clear();
    for (InterfaceEngine each : engines) {
      transferSections(snapshot, each.engine(), references, owners);
      parts.put(each.engine(), transferParts(snapshot, descriptors, each, references));
    }
    transferListeners(snapshot, programs);
    snapshot.end();
  }

  private List<ProgramSockets> transferEnded(Snapshot snapshot, HandedDescriptors descriptors) {
    List<ProgramSockets> all = new ArrayList<>();
    Iterator<ProgramSockets> written = ended(snapshot).iterator();
    while (snapshot.flag("ended", written.hasNext())) {
      ProgramSockets each = snapshot.reads() ? null : written.next();
      PeerCredentials process =
          snapshot.record("process", PeerCredentials.class, each == null ? null : each.process());
      all.add(each == null ? new ProgramSockets(server, null, process) : each);
      all.getLast().transfer(snapshot, descriptors);
    }
    return all;
  }

  private List<ProgramSockets> ended(Snapshot snapshot) {
    return snapshot.reads() ? List.of() : service.endedPrograms();
  }

  /** Transfers which programs an engine serves, in its order; when read, it begins that. */
  private void transferSections(
      Snapshot snapshot,
      Engine engine,
      References<ProgramSockets> references,
      Map<StreamSection, ProgramSockets> owners) {
    List<StreamSection> written = engine.streams().sections();
    for (int i = 0; snapshot.flag("sections", i < written.size()); i++) {
      ProgramSockets owner = snapshot.reads() ? null : owners.get(written.get(i));
      owner = references.require(snapshot, "program", owner);
      if (snapshot.reads()) {
        engine.streams().begin(owner.section(engine));
      }
    }
  }

  private List<StreamParts> transferParts(
      Snapshot snapshot,
      HandedDescriptors descriptors,
      InterfaceEngine at,
      References<ProgramSockets> references) {
    List<StreamParts> all = new ArrayList<>();
    Iterator<StreamParts> written = at.engine().streams().parts().iterator();
    while (snapshot.flag("streams", written.hasNext())) {
      StreamParts each = snapshot.reads() ? null : written.next();
      all.add(transfer(snapshot, descriptors, at, references, each));
    }
    return all;
  }

  private StreamParts transfer(
      Snapshot snapshot,
      HandedDescriptors descriptors,
      InterfaceEngine at,
      References<ProgramSockets> references,
      StreamParts written) {
    boolean reads = written == null;
    snapshot.begin(StreamParts.class);
    long number = snapshot.number("number", reads ? 0 : written.number());
    StreamSlot slot = transferSlot(snapshot, at, references, reads ? null : service.slot(number));
    StreamMemory memory = transferMemory(snapshot, descriptors, reads ? null : written.memory());
    PairedSocket socket = descriptors.transfer(snapshot, "socket", reads ? null : written.socket());
    PairedSocket programSocket =
        descriptors.transfer(snapshot, "programSocket", reads ? null : written.programSocket());
    long cookie = snapshot.number("cookie", reads ? 0 : written.cookie());
    PairedSocket bridge = descriptors.transfer(snapshot, "bridge", reads ? null : written.bridge());
    PairedSocket bridgeEnd =
        descriptors.transfer(snapshot, "bridges", reads ? null : service.bridges().end(number));
    boolean refuses = snapshot.flag("refusesDescriptors", !reads && written.refusesDescriptors());
    snapshot.end();
    if (!reads) {
      return written;
    }
    if (socket == null || programSocket == null) {
      throw snapshot.wrong("a stream without a socket");
    }
    service.inherit(number, slot, bridgeEnd);
    return new StreamParts(
        slot.section(),
        slot.index(),
        number,
        memory,
        socket,
        programSocket,
        cookie,
        bridge,
        refuses);
  }

  private StreamSlot transferSlot(
      Snapshot snapshot,
      InterfaceEngine at,
      References<ProgramSockets> references,
      StreamSlot written) {
    boolean reads = snapshot.reads();
    snapshot.begin(StreamSlot.class);
    ProgramSockets program =
        references.require(snapshot, "program", reads ? null : written.program());
    int index = snapshot.number("index", reads ? 0 : written.index(), 0, Doorbells.STREAMS - 1);
    long octets = snapshot.number("octets", reads ? 0 : written.octets());
    Claim claim = transferClaim(snapshot, at, reads ? null : written.claim());
    snapshot.end();
    return reads
        ? program.shares().inherit(snapshot, program.section(at.engine()), index, claim, octets)
        : written;
  }

  private StreamMemory transferMemory(
      Snapshot snapshot, HandedDescriptors descriptors, StreamMemory written) {
    snapshot.begin(StreamMemory.class);
    boolean reads = written == null;
    Descriptor descriptor = descriptors.transfer(reads ? null : written.descriptor());
    int largest = snapshot.number("largest", reads ? 0 : written.sending().largest());
    int toSend = snapshot.number("allocatedToSend", reads ? 0 : written.allocatedToSend());
    int toReceive = snapshot.number("allocatedToReceive", reads ? 0 : written.allocatedToReceive());
    snapshot.end();
    if (!reads) {
      return written;
    }
    try {
      StreamMemory memory = StreamMemory.adopt(descriptor, largest);
      if (!memory.allocateAgain(toSend, toReceive)) {
        server.mappingThreads().onNotLocked();
      }
      return memory;
    } catch (SystemCallException e) {
      throw snapshot.wrong("no memory is left for octet streams: " + e.getMessage());
    } catch (IOException e) {
      throw snapshot.wrong("the memory of a stream cannot be mapped: " + e.getMessage());
    }
  }

  private static Claim transferClaim(Snapshot snapshot, InterfaceEngine at, Claim written) {
    if (!snapshot.flag("claim", written != null)) {
      return null;
    }
    boolean reads = written == null;
    snapshot.begin(Claim.class);
    int localPort = snapshot.number("localPort", reads ? 0 : written.localPort());
    HostAddress remote = HostAddress.transfer(snapshot, reads ? null : written.remote());
    int remotePort = snapshot.number("remotePort", reads ? 0 : written.remotePort());
    snapshot.end();
    return new Claim(at.name(), localPort, remote, remotePort);
  }

  private void transferListeners(Snapshot snapshot, List<ProgramSockets> programs) {
    listeners = new ArrayList<>();
    programs.forEach(
        program -> program.listeners().all().forEach(each -> listeners.add(each.listener())));
    List<StreamListener> ended = service.awaitedListeners();
    for (int i = 0; snapshot.flag("endedListeners", i < ended.size()); i++) {
      StreamListener written = snapshot.reads() ? null : ended.get(i);
      StreamListener each = StreamListener.transfer(snapshot, written, new StreamSection[0]);
      listeners.add(each);
      if (snapshot.reads()) {
        service.inheritEnded(each);
      }
    }
  }
}
