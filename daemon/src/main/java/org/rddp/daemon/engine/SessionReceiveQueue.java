package org.rddp.daemon.engine;

import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.receiving.DdpSharedReceiveQueue;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

/** A shared receive queue of a program. Engine thread only. */
final class SessionReceiveQueue implements RequestTarget {
  /** The most receives of a queue in DDP. */
  private static final int MOST = 1 << 24;

  private final Session session;
  private final int number;
  private final ProtectionDomain domain;
  private final DdpSharedReceiveQueue queue;
  private int users;

  SessionReceiveQueue(Session session, int number, int size, ProtectionDomain domain) {
    this.session = session;
    this.number = number;
    this.domain = domain;
    queue =
        new DdpSharedReceiveQueue(
            size,
            session.queueMemory(),
            // DDP-8.3.2-06, RDMAP-8.1.2-08
            () -> session.events().send(new DaemonMessage.ReceiveQueueLimit(number)));
  }

  DdpSharedReceiveQueue queue() {
    return queue;
  }

  @Override
  public void taken(WorkRequest work) {}

  @Override
  public ProtectionDomain domain() {
    return domain;
  }

  @Override
  public CompletionStatus post(WorkRequest work, StreamRequest request) {
    return queue.post(request) ? CompletionStatus.SUCCESS : CompletionStatus.LOCAL_OPERATION_ERROR;
  }

  /** No order: peers decide which connection takes a receive, and when its message is complete. */
  @Override
  public boolean refuse(WorkRequest work, StreamRequest request, CompletionStatus status) {
    return false;
  }

  /** Connections and listeners that use it. */
  int users() {
    return users;
  }

  void use() {
    users++;
  }

  void release() {
    users--;
  }

  /** Completes as flushed every receive that no message has taken. */
  void flush() {
    long request = queue.withdraw();
    while (request >= 0) {
      session
          .claim(1)
          .begin(
              session.requests().id((int) request), 0, Opcode.RECEIVE, CompletionStatus.FLUSHED, 0)
          .receiveQueue(number)
          .submit();
      session.requests().remove((int) request);
      request = queue.withdraw();
    }
  }

  /**
   * Transfers a queue, but not its receives and who uses it.
   *
   * @param written the queue; null if it is read
   */
  static SessionReceiveQueue transfer(
      Snapshot snapshot, Session session, int number, SessionReceiveQueue written) {
    boolean reads = written == null;
    snapshot.begin(SessionReceiveQueue.class);
    int size = snapshot.number("queue", reads ? 0 : written.queue.depth(), 1, MOST);
    ProtectionDomain domain =
        new References<>(session.domains().all())
            .require(snapshot, "domain", reads ? null : written.domain);
    snapshot.end();
    return reads ? new SessionReceiveQueue(session, number, size, domain) : written;
  }
}
