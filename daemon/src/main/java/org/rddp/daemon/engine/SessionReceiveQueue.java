package org.rddp.daemon.engine;

import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.receiving.DdpSharedReceiveQueue;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.ring.WorkRequest;

/** A shared receive queue of a program. Engine thread only. */
final class SessionReceiveQueue implements RequestTarget {
  private final Session session;
  private final int number;
  private final ProtectionDomain domain;
  private DdpSharedReceiveQueue queue;
  private int users;

  SessionReceiveQueue(Session session, int number, int size, ProtectionDomain domain) {
    this.session = session;
    this.number = number;
    this.domain = domain;
    queue = create(size);
  }

  private DdpSharedReceiveQueue create(int size) {
    return new DdpSharedReceiveQueue(
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

  /** Goes on with a new queue of DDP, whose state follows. */
  void renew() {
    queue = create(queue.depth());
  }
}
