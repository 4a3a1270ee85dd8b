package org.rddp.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Queue;
import org.rddp.client.types.Access;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupTerms;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.ring.DaemonRings;
import org.rddp.ipc.ring.WorkRequest;

/** One end of a connection in the {@link FakeDaemon}, which copies messages to the other end. */
final class FakeConnection {
  private record Receive(long id, long address, long length) {}

  private record Message(long id, MemorySegment octets, boolean signalled) {}

  /** What the startup frames of both ends have settled. */
  static final StartupTerms TERMS = new StartupTerms(2, false, 3, 4, 5, 6);

  private final FakeSession session;
  private final int id;
  private final Queue<Receive> receives = new ArrayDeque<>();
  private final Queue<Message> messages = new ArrayDeque<>();
  private FakeConnection peer;
  private boolean established;
  private int unsignalled;

  FakeConnection(FakeSession session, int id) {
    this.session = session;
    this.id = id;
  }

  int id() {
    return id;
  }

  static void join(FakeConnection one, FakeConnection other) {
    one.peer = other;
    other.peer = one;
  }

  void accept(PrivateData privateData) throws IOException {
    established = true;
    peer.established = true;
    send(
        new DaemonMessage.Established(
            id, IpAddress.ipv4(1), 2, IpAddress.ipv4(3), 4, TERMS, PrivateData.NONE));
    peer.send(
        new DaemonMessage.Established(
            peer.id, IpAddress.ipv4(3), 4, IpAddress.ipv4(1), 2, TERMS, privateData));
  }

  void reject(PrivateData privateData) throws IOException {
    session.remove(this);
    peer.session.remove(peer);
    peer.send(new DaemonMessage.Rejected(peer.id, TERMS, privateData));
  }

  private void send(DaemonMessage message) throws IOException {
    session.send(message);
  }

  /** Carries out a request of this end's program. */
  void post(WorkRequest request) {
    if (request.connection() != id || (!established && request.opcode() != Opcode.RECEIVE)) {
      flush(session.rings(), request);
      return;
    }
    FakeSession.Range range = session.range(request.localStag());
    if (!request.isInline()
        && (range == null || request.localOffset() + request.length() > range.length())) {
      complete(request.id(), request.opcode(), CompletionStatus.LOCAL_PROTECTION_ERROR, 0);
      return;
    }
    switch (request.opcode()) {
      case Opcode.RECEIVE -> {
        receives.add(
            new Receive(request.id(), range.address() + request.localOffset(), request.length()));
        if (peer != null) {
          peer.deliver();
        }
      }
      case Opcode.SEND -> {
        messages.add(new Message(request.id(), octets(request, range), request.isSignalled()));
        deliver();
      }
      default -> write(request, octets(request, range));
    }
  }

  private static MemorySegment octets(WorkRequest request, FakeSession.Range range) {
    long address =
        request.isInline() ? request.inlineAddress() : range.address() + request.localOffset();
    return MemorySegment.ofArray(at(address, request.length()).toArray(ValueLayout.JAVA_BYTE));
  }

  private static MemorySegment at(long address, long length) {
    return MemorySegment.ofAddress(address).reinterpret(length);
  }

  private void write(WorkRequest request, MemorySegment octets) {
    FakeSession.Range range = peer.session.range(request.remoteStag());
    if (range == null
        || !Access.REMOTE_WRITE.isIn(range.rights())
        || request.remoteTo() + octets.byteSize() > range.length()) {
      complete(request.id(), Opcode.WRITE, CompletionStatus.REMOTE_ACCESS_ERROR, 0);
      return;
    }
    at(range.address() + request.remoteTo(), octets.byteSize()).copyFrom(octets);
    succeed(request.id(), Opcode.WRITE, octets.byteSize(), request.isSignalled());
  }

  private void deliver() {
    while (!messages.isEmpty() && !peer.receives.isEmpty()) {
      Message message = messages.remove();
      Receive receive = peer.receives.remove();
      long length = message.octets().byteSize();
      if (length > receive.length()) {
        peer.complete(receive.id(), Opcode.RECEIVE, CompletionStatus.LOCAL_LENGTH_ERROR, 0);
      } else {
        at(receive.address(), length).copyFrom(message.octets());
        peer.complete(receive.id(), Opcode.RECEIVE, CompletionStatus.SUCCESS, length);
      }
      succeed(message.id(), Opcode.SEND, length, message.signalled());
    }
  }

  private void succeed(long request, int opcode, long octets, boolean signalled) {
    if (signalled) {
      complete(request, opcode, CompletionStatus.SUCCESS, octets);
    } else {
      unsignalled++;
    }
  }

  private void complete(long request, int opcode, CompletionStatus status, long octets) {
    int retired = 1;
    if (opcode != Opcode.RECEIVE) {
      retired += unsignalled;
      unsignalled = 0;
    }
    session.rings().claim(retired).begin(request, id, opcode, status, octets).submit();
  }

  static void flush(DaemonRings rings, WorkRequest request) {
    rings
        .claim(1)
        .begin(request.id(), request.connection(), request.opcode(), CompletionStatus.FLUSHED, 0)
        .submit();
  }

  /** Closes both ends. */
  void close(Reason here, Reason there) throws IOException {
    FakeConnection other = peer;
    end(here);
    if (other != null) {
      other.end(there);
    }
  }

  private void end(Reason reason) throws IOException {
    receives.forEach(
        receive -> complete(receive.id(), Opcode.RECEIVE, CompletionStatus.FLUSHED, 0));
    messages.forEach(message -> complete(message.id(), Opcode.SEND, CompletionStatus.FLUSHED, 0));
    receives.clear();
    messages.clear();
    session.remove(this);
    peer = null;
    send(new DaemonMessage.Closed(id, reason, 0, reason.toString()));
  }

  /** Closes this end after its session has ended, and notifies the other end. */
  void lose() {
    session.remove(this);
    FakeConnection other = peer;
    peer = null;
    if (other != null) {
      try {
        other.end(Reason.RESET);
      } catch (IOException e) {
        // The other end's session closes it at its next turn.
        other.peer = null;
      }
    }
  }
}
