package org.rddp.daemon.control;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.StreamSection;
import org.rddp.daemon.engine.StreamWaiter;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.Doorbells;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.snapshot.Snapshot;

/**
 * The waiters of a program's session for octet streams: by each, engines tell a thread that waits
 * for many streams. They end with the session's doorbells. Control thread only.
 */
final class ProgramWaiters {
  /**
   * A waiter.
   *
   * @param socket the daemon's end
   * @param number by which the socket is watched
   */
  private record Waiter(ProgramMapping bells, PairedSocket socket, int number) {}

  private final ControlServer server;
  private final StreamService service;
  private final ProgramSession program;
  private final List<StreamSection> sections;
  private final Quota octets;
  private final Quota memories;
  private final Map<Integer, Waiter> open = new HashMap<>();

  /**
   * Creates none.
   *
   * @param program null if no request comes any more
   * @param sections of the session
   * @param octets of the session's memory
   * @param memories of its process
   */
  ProgramWaiters(
      ControlServer server,
      StreamService service,
      ProgramSession program,
      List<StreamSection> sections,
      Quota octets,
      Quota memories) {
    this.server = server;
    this.service = service;
    this.program = program;
    this.sections = sections;
    this.octets = octets;
    this.memories = memories;
  }

  /** Opens one. */
  void open(int request) throws RequestRefusedException {
    if (open.size() == StreamHeader.WAITERS) {
      throw new RequestRefusedException(
          Reason.LIMIT, "a session has at most %d waiters".formatted(StreamHeader.WAITERS));
    }
    octets.take(Doorbells.OCTETS);
    try {
      memories.take(1);
    } catch (RequestRefusedException e) {
      octets.give(Doorbells.OCTETS);
      throw e;
    }
    try {
      make(request);
    } catch (SystemCallException e) {
      giveBack();
      throw new RequestRefusedException(Reason.RESOURCES, "no waiter: " + e.getMessage());
    }
  }

  private void make(int request) throws SystemCallException {
    int waiter =
        IntStream.rangeClosed(1, StreamHeader.WAITERS)
            .filter(number -> !open.containsKey(number))
            .findFirst()
            .orElseThrow();
    int watched = service.nextNumber();
    PairedSocket[] ends = PairedSocket.ofOctets("rddp-waiter", new byte[0]);
    SharedMemory memory = null;
    try {
      ends[0].forbidDescriptors();
      memory = SharedMemory.createImmutable("rddp-waiter", Doorbells.OCTETS);
      service.watched().add(watched, ends[0].descriptor(), () -> end(waiter));
    } catch (SystemCallException e) {
      ends[0].close();
      ends[1].close();
      if (memory != null) {
        memory.close();
      }
      throw e;
    }
    ProgramMapping bells = ProgramMapping.ofRings(memory, memory::close, server.mappingThreads());
    open.put(waiter, new Waiter(bells, ends[0], watched));
    program.send(
        new DaemonMessage.StreamWaiting(request, waiter, bells.descriptor(), ends[1].descriptor()));
  }

  /** Whether another daemon can map the memory of all. */
  boolean canGoOver() {
    return open.values().stream().allMatch(each -> each.bells().canGoOver());
  }

  /** Transfers all; when read, the engines have not begun. */
  void transfer(Snapshot snapshot, HandedDescriptors descriptors) {
    Iterator<Map.Entry<Integer, Waiter>> written = List.copyOf(open.entrySet()).iterator();
    while (snapshot.flag("waiters", written.hasNext())) {
      Map.Entry<Integer, Waiter> each = snapshot.reads() ? null : written.next();
      int number = snapshot.number("waiter", each == null ? 0 : each.getKey());
      Waiter waiter = transfer(snapshot, descriptors, each == null ? null : each.getValue());
      if (each == null) {
        inherit(snapshot, number, waiter);
      }
    }
  }

  private Waiter transfer(Snapshot snapshot, HandedDescriptors descriptors, Waiter written) {
    snapshot.begin(Waiter.class);
    boolean reads = written == null;
    int watched = snapshot.number("number", reads ? 0 : written.number());
    Descriptor memory = descriptors.transfer(reads ? null : written.bells().descriptor());
    Descriptor socket = descriptors.transfer(reads ? null : written.socket().descriptor());
    Waiter waiter = written;
    if (reads) {
      SharedMemory shared = HandedDescriptors.map(memory);
      if (shared.length() != Doorbells.OCTETS) {
        throw snapshot.wrong("a waiter of " + shared.length() + " octets");
      }
      waiter =
          new Waiter(
              ProgramMapping.ofRings(shared, shared::close, server.mappingThreads()),
              new PairedSocket(socket),
              watched);
    }
    waiter.bells().transfer(snapshot);
    snapshot.end();
    return waiter;
  }

  private void inherit(Snapshot snapshot, int number, Waiter waiter) {
    octets.add(Doorbells.OCTETS);
    memories.add(1);
    open.put(number, waiter);
    try {
      service.watched().add(waiter.number(), waiter.socket().descriptor(), () -> end(number));
    } catch (SystemCallException e) {
      throw snapshot.wrong("no waiter: " + e.getMessage());
    }
    if (waiter.bells().isReady()) {
      sections.forEach(section -> section.add(number, told(waiter)));
    }
  }

  private static StreamWaiter told(Waiter waiter) {
    return new StreamWaiter(new Doorbells(waiter.bells().address()), waiter.socket()::signal);
  }

  /** Closes the sockets, which another daemon has. */
  void leave() {
    open.values().forEach(each -> each.socket().close());
  }

  private void giveBack() {
    memories.give(1);
    octets.give(Doorbells.OCTETS);
  }

  /** Engines begin to tell it, once its memory is safe to use. */
  void share(int request, int number) throws RequestRefusedException {
    Waiter waiter = open.get(number);
    if (waiter == null) {
      throw ended();
    }
    waiter
        .bells()
        .share(refusal -> {
          if (refusal != null) {
            program.answer(request, refusal);
            return;
          }
          if (!waiter.equals(open.get(number))) {
            program.answer(request, ended());
            return;
          }
          StreamWaiter told = told(waiter);
          service.onEngines(
              sections, section -> section.add(number, told), () -> program.answer(request, null));
        });
  }

  private static RequestRefusedException ended() {
    return new RequestRefusedException(Reason.NOT_FOUND, "no such waiter");
  }

  /**
   * Nobody holds it any more. It cannot be shared from now on: otherwise engines would be told of
   * it after they have forgotten it, and use its memory when that is unmapped.
   */
  private void end(int number) {
    Waiter ending = open.remove(number);
    service.watched().remove(ending.number());
    service.onEngines(sections, section -> section.removeWaiter(number), () -> release(ending));
  }

  /** Ends all, which no engine uses any more. */
  void close() {
    open.values()
        .forEach(each -> {
          service.watched().remove(each.number());
          release(each);
        });
    open.clear();
  }

  private void release(Waiter waiter) {
    service.close(waiter.socket());
    waiter.bells().release(this::giveBack);
  }
}
