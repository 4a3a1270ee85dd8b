package org.rddp.daemon.engine;

import java.util.List;
import java.util.function.LongPredicate;
import org.rddp.client.types.Reason;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.snapshot.Snapshot;

/** The shared receive queues of a session. Engine thread only. */
final class SessionReceiveQueues {
  private final Session session;
  private final NumberTable<SessionReceiveQueue> queues = new NumberTable<>();

  SessionReceiveQueues(Session session) {
    this.session = session;
  }

  /** The queue with that number, or null. */
  SessionReceiveQueue get(int number) {
    return queues.get(number);
  }

  /** Creates an empty queue; returns its number. */
  int create(int size, ProtectionDomain domain) {
    int number = queues.reserve();
    queues.add(number, new SessionReceiveQueue(session, number, size, domain));
    return number;
  }

  /** Tells the program once when fewer receives than that are left. */
  void arm(int number, int limit) throws RequestRefusedException {
    SessionReceiveQueue queue = require(number);
    if (limit < 0) {
      throw new RequestRefusedException(
          Reason.INVALID, "a limit of " + limit + " receives; it is 0 or more");
    }
    queue.queue().arm(limit);
  }

  /** Destroys a queue that no connection or listener uses; returns its size. */
  int destroy(int number) throws RequestRefusedException {
    SessionReceiveQueue queue = require(number);
    if (queue.users() > 0) {
      throw new RequestRefusedException(
          Reason.STATE, queue.users() + " connections or listeners use the receive queue");
    }
    queue.flush();
    queues.remove(number);
    return queue.queue().depth();
  }

  /** Takes memory away from receives that no message has taken, by the requests' numbers. */
  void revoke(LongPredicate requests) {
    queues.forEach(queue -> queue.queue().revoke(requests));
  }

  /** Checks the shared receive queue in a connection's settings. */
  void check(ConnectionSettings settings) throws RequestRefusedException {
    if (settings.receiveQueue() == 0) {
      return;
    }
    require(settings.receiveQueue());
    if (settings.isPlainDdp()) {
      throw new RequestRefusedException(Reason.INVALID, "shared receive queues are for RDMAP");
    }
  }

  /** The queue with that number. */
  SessionReceiveQueue require(int number) throws RequestRefusedException {
    SessionReceiveQueue queue = queues.get(number);
    if (queue == null) {
      throw new RequestRefusedException(Reason.NOT_FOUND, "no such receive queue in this session");
    }
    return queue;
  }

  /** Transfers the queues, but not their receives; when read, there are none before. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SessionReceiveQueues.class);
    queues.transfer(
        snapshot,
        (number, queue) -> SessionReceiveQueue.transfer(snapshot, session, number, queue));
    snapshot.end();
  }

  /** Transfers their receives. */
  void transferReceives(Snapshot snapshot, DdpReferences references, List<DdpStream> streams) {
    queues.forEach(queue -> queue.queue().transfer(snapshot, references, streams));
  }
}
