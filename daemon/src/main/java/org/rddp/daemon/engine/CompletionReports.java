package org.rddp.daemon.engine;

import java.util.Arrays;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.ring.CompletionEntry;
import org.rddp.ipc.ring.WorkRequest;

/**
 * Reports the completions of one connection to its program, those of each queue in the order of its
 * requests. Unsignalled requests of the send queue that succeeded are reported by the next
 * completion of that queue. Engine thread only.
 */
final class CompletionReports {
  private final Session session;
  private final RequestTable requests;

  /** Number of the shared receive queue, 0 for none. */
  private int receiveQueue;

  private final CompletionOrder sends = new CompletionOrder(this);

  /** Null if receives are shared. */
  private CompletionOrder receives;

  /** Plain DDP: orders of the receives of each queue. */
  private final CompletionOrder[] untaggedReceives;

  private final CompletionOrder notices = new CompletionOrder(this);
  private int connection;

  /** Null while the connection is not traced. */
  private ConnectionTrace trace;

  private boolean ended;

  /** Receives of a shared queue that have ended here. */
  private long sharedReceived;

  private int unreported;
  private long lastUnreported;
  private int lastUnreportedOpcode;
  private long lastUnreportedOctets;

  /**
   * Creates the reports of a new connection.
   *
   * @param settings of the connection
   */
  CompletionReports(Session session, ConnectionSettings settings) {
    this.session = session;
    receiveQueue = settings.receiveQueue();
    requests = session.requests();
    receives = receiveQueue == 0 ? new CompletionOrder(this) : null;
    untaggedReceives = new CompletionOrder[settings.queues().size()];
    Arrays.setAll(untaggedReceives, qn -> new CompletionOrder(this));
  }

  /** Sets the number of the connection. */
  void begin(int number) {
    connection = number;
  }

  /** Switches to a shared receive queue, before a receive is posted to the connection. */
  void shareReceives(int queue) {
    receiveQueue = queue;
    receives = null;
  }

  /** Writes requests and their completions into a trace from now on; null for none. */
  void trace(ConnectionTrace next) {
    trace = next;
  }

  /** The order of the queue of a request just taken; null if there is none. */
  CompletionOrder order(WorkRequest work) {
    if (trace != null) {
      trace.onTaken(work.opcode(), work.id(), work.length());
    }
    return switch (work.opcode()) {
      case Opcode.RECEIVE -> receives;
      case Opcode.RECEIVE_UNTAGGED -> untagged(work.qn());
      case Opcode.TAGGED_NOTICE -> notices;
      default -> sends;
    };
  }

  private CompletionOrder untagged(int qn) {
    return qn >= 0 && qn < untaggedReceives.length ? untaggedReceives[qn] : null;
  }

  /**
   * Touches the cache lines that a request of the send queue needs; the result only keeps the JIT
   * from removing the loads.
   */
  int prefetch() {
    return (int) sends.taken() + unreported;
  }

  /** Whether requests of the send queue are outstanding. */
  boolean hasSends() {
    return sends.isPending();
  }

  /** Whether the program has posted sends, or receives of the connection's own. */
  boolean areUsed() {
    return sends.isUsed() || (receives != null && receives.isUsed());
  }

  /**
   * Reports a refused request, after those before it have completed.
   *
   * @param named number of its Queue or its window
   */
  void refused(int slot, CompletionStatus status, int named) {
    switch (requests.opcode(slot)) {
      case Opcode.BIND -> bindEnded(slot, status, named);
      case Opcode.RECEIVE -> receiveEnded(slot, status);
      case Opcode.RECEIVE_UNTAGGED -> untaggedEnded(slot, status, named);
      case Opcode.TAGGED_NOTICE -> noticeEnded(slot, status);
      default -> ended(slot, status, 0);
    }
  }

  /**
   * Reports the end of a request of the send queue.
   *
   * @param octets of its message, 0 if it failed
   */
  void ended(int slot, CompletionStatus status, long octets) {
    if (!ended) {
      if (status == CompletionStatus.SUCCESS && !requests.isSignalled(slot)) {
        unreported++;
        lastUnreported = requests.id(slot);
        lastUnreportedOpcode = requests.opcode(slot);
        lastUnreportedOctets = octets;
      } else {
        begin(slot, status, octets, 1 + unreported).submit();
        unreported = 0;
      }
    }
    remove(slot, status, octets);
    sends.complete();
  }

  /** Reports the end of a bind, signalled or not. */
  void bindEnded(int slot, CompletionStatus status) {
    bindEnded(slot, status, requests.window(slot).number());
  }

  private void bindEnded(int slot, CompletionStatus status, int number) {
    if (!ended) {
      SessionWindow window = requests.window(slot);
      int nextStag = window == null ? 0 : window.nextStag();
      begin(slot, status, 0, 1 + unreported).window(number, nextStag).submit();
      unreported = 0;
    }
    remove(slot, status, 0);
    sends.complete();
  }

  /** Reports a receive that will not be filled. */
  void receiveEnded(int slot, CompletionStatus status) {
    if (!ended) {
      beginReceive(slot, status, 0).submit();
    }
    receiveCompleted(slot, status, 0);
  }

  /**
   * Reports a filled receive.
   *
   * @param solicited whether the peer wants the program to be woken for it
   * @param invalidated the STag that the peer has invalidated with it, or 0
   */
  void received(int slot, long octets, boolean solicited, int invalidated) {
    if (!ended) {
      CompletionEntry entry = beginReceive(slot, CompletionStatus.SUCCESS, octets);
      if (solicited) {
        entry.solicited();
      }
      if (invalidated != 0) {
        entry.invalidated(invalidated);
      }
      entry.submit();
    }
    receiveCompleted(slot, CompletionStatus.SUCCESS, octets);
  }

  /** Reports a receive filled by a message with a number. */
  void receivedWithImmediate(int slot, long octets, int data, boolean solicited) {
    if (!ended) {
      CompletionEntry entry = beginReceive(slot, CompletionStatus.SUCCESS, octets);
      if (solicited) {
        entry.solicited();
      }
      entry.immediateOfSend(data).submit();
    }
    receiveCompleted(slot, CompletionStatus.SUCCESS, octets);
  }

  /** Reports a receive used up by Immediate Data. */
  void receivedImmediate(int slot, long data, boolean solicited) {
    if (!ended) {
      CompletionEntry entry = beginReceive(slot, CompletionStatus.SUCCESS, Long.BYTES);
      if (solicited) {
        entry.solicited();
      }
      entry.immediate(data).submit();
    }
    receiveCompleted(slot, CompletionStatus.SUCCESS, Long.BYTES);
  }

  private void receiveCompleted(int slot, CompletionStatus status, long octets) {
    remove(slot, status, octets);
    if (receives != null) {
      receives.complete();
    } else {
      sharedReceived++;
    }
  }

  /** Requests of the send queue that have been taken. */
  long sendsTaken() {
    return sends.taken();
  }

  /** Requests of the send queue that have completed. */
  long sendsCompleted() {
    return sends.completed();
  }

  /** Receives that wait for a message, without those of a shared queue. */
  long receivesPosted() {
    long posted = receives == null ? 0 : receives.taken() - receives.completed();
    for (CompletionOrder order : untaggedReceives) {
      posted += order.taken() - order.completed();
    }
    return posted;
  }

  /** Receives that have completed. */
  long receivesCompleted() {
    long completed = receives == null ? sharedReceived : receives.completed();
    for (CompletionOrder order : untaggedReceives) {
      completed += order.completed();
    }
    return completed;
  }

  /** Plain DDP: reports a filled receive of a queue. */
  void receivedUntagged(int slot, long octets, long rsvdUlp, int qn, int msn) {
    if (!ended) {
      begin(slot, CompletionStatus.SUCCESS, octets, 1).untagged(rsvdUlp, qn, msn).submit();
    }
    remove(slot, CompletionStatus.SUCCESS, octets);
    untagged(qn).complete();
  }

  /** Plain DDP: reports a receive of a queue that will not be filled. */
  void untaggedEnded(int slot, CompletionStatus status, int qn) {
    if (!ended) {
      begin(slot, status, 0, 1).untagged(0, qn, 0).submit();
    }
    remove(slot, status, 0);
    untagged(qn).complete();
  }

  /** Plain DDP: reports a notice used up by a Tagged Message. */
  void receivedTagged(int slot, long octets, int stag, long to, long rsvdUlp) {
    if (!ended) {
      begin(slot, CompletionStatus.SUCCESS, octets, 1).tagged(stag, to, rsvdUlp).submit();
    }
    remove(slot, CompletionStatus.SUCCESS, octets);
    notices.complete();
  }

  /** Plain DDP: reports a notice that will not be used. */
  void noticeEnded(int slot, CompletionStatus status) {
    if (!ended) {
      begin(slot, status, 0, 1).tagged(0, 0, 0).submit();
    }
    remove(slot, status, 0);
    notices.complete();
  }

  private void remove(int slot, CompletionStatus status, long octets) {
    if (trace != null) {
      trace.onCompleted(requests.opcode(slot), requests.id(slot), octets, status);
    }
    if (status == CompletionStatus.SUCCESS) {
      requests.succeeded(slot);
    }
    requests.remove(slot);
  }

  private CompletionEntry beginReceive(int slot, CompletionStatus status, long octets) {
    return begin(slot, status, octets, 1).receiveQueue(receiveQueue);
  }

  private CompletionEntry begin(int slot, CompletionStatus status, long octets, int retired) {
    return session
        .claim(retired)
        .begin(requests.id(slot), connection, requests.opcode(slot), status, octets);
  }

  /**
   * Reports the last unsignalled request that succeeded, since no later completion of the queue
   * will: both ends count outstanding requests.
   */
  void reportRest() {
    if (unreported > 0) {
      session
          .claim(unreported)
          .begin(
              lastUnreported,
              connection,
              lastUnreportedOpcode,
              CompletionStatus.SUCCESS,
              lastUnreportedOctets)
          .submit();
      unreported = 0;
    }
  }

  /** Stops reporting. */
  void stop() {
    ended = true;
  }
}
