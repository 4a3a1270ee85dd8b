package org.rddp.daemon.engine;

import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.ring.CompletionEntry;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.snapshot.Snapshot;

/**
 * Reports the completions of one connection to its program. Unsignalled requests of the send queue
 * that succeeded are reported by the next completion of that queue. Engine thread only.
 */
final class CompletionReports {
  private final Session session;
  private final RequestTable requests;

  /** Number of the shared receive queue, 0 for none. */
  private int receiveQueue;

  /** Plain DDP: the connection's queues for Untagged Messages. */
  private final int untaggedQueues;

  private int connection;

  /** Null while the connection is not traced. */
  private ConnectionTrace trace;

  private boolean ended;

  private long sendsTaken;
  private long sendsCompleted;

  /** Without those of a shared queue. */
  private long receivesTaken;

  private long receivesCompleted;

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
    untaggedQueues = settings.queues().size();
  }

  /** Sets the number of the connection. */
  void begin(int number) {
    connection = number;
  }

  /** Switches to a shared receive queue, before a receive is posted to the connection. */
  void shareReceives(int queue) {
    receiveQueue = queue;
  }

  /** Writes requests and their completions into a trace from now on; null for none. */
  void trace(ConnectionTrace next) {
    trace = next;
  }

  /** Counts a request just taken. */
  void taken(WorkRequest work) {
    if (trace != null) {
      trace.onTaken(work.opcode(), work.id(), work.length());
    }
    RequestForm.Queue queue = work.form().queue();
    if (queue == RequestForm.Queue.SEND) {
      sendsTaken++;
    } else if (isOwnReceive(queue, work.qn())) {
      receivesTaken++;
    }
  }

  /** Whether a request of a queue is a receive of the connection's own. */
  private boolean isOwnReceive(RequestForm.Queue queue, int qn) {
    return switch (queue) {
      case RECEIVE -> receiveQueue == 0;
      case UNTAGGED_RECEIVE -> qn >= 0 && qn < untaggedQueues;
      case SEND, NOTICE -> false;
    };
  }

  /**
   * Touches the cache lines that a request of the send queue needs; the result only keeps the JIT
   * from removing the loads.
   */
  int prefetch() {
    return (int) sendsTaken + unreported;
  }

  /** Whether requests of the send queue are outstanding. */
  boolean hasSends() {
    return sendsTaken > sendsCompleted;
  }

  /** Whether the program has posted sends, or receives of the connection's own. */
  boolean areUsed() {
    return sendsTaken > 0 || receivesTaken > 0;
  }

  /**
   * Reports the end of a request, for which there is nothing to say but how it has ended.
   *
   * @param octets of its message, 0 if it failed
   */
  void ended(int slot, CompletionStatus status, long octets) {
    if (!ended) {
      report(slot, status, octets);
    }
    remove(slot, status, octets);
  }

  private void report(int slot, CompletionStatus status, long octets) {
    switch (form(slot).queue()) {
      case SEND -> reportSend(slot, status, octets);
      case RECEIVE -> beginReceive(slot, status, 0).submit();
      case UNTAGGED_RECEIVE ->
          begin(slot, status, 0, 1).untagged(0, requests.named(slot), 0).submit();
      case NOTICE -> begin(slot, status, 0, 1).tagged(0, 0, 0).submit();
    }
  }

  private void reportSend(int slot, CompletionStatus status, long octets) {
    if (status == CompletionStatus.SUCCESS && !requests.isSignalled(slot)) {
      unreported++;
      lastUnreported = requests.id(slot);
      lastUnreportedOpcode = requests.opcode(slot);
      lastUnreportedOctets = octets;
      return;
    }
    CompletionEntry entry = begin(slot, status, octets, 1 + unreported);
    if (requests.opcode(slot) == Opcode.BIND) {
      SessionWindow window = requests.window(slot);
      entry.window(requests.named(slot), window == null ? 0 : window.nextStag());
    }
    entry.submit();
    unreported = 0;
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
    remove(slot, CompletionStatus.SUCCESS, octets);
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
    remove(slot, CompletionStatus.SUCCESS, octets);
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
    remove(slot, CompletionStatus.SUCCESS, Long.BYTES);
  }

  /** Requests of the send queue that have been taken. */
  long sendsTaken() {
    return sendsTaken;
  }

  /** Requests of the send queue that have completed. */
  long sendsCompleted() {
    return sendsCompleted;
  }

  /** Receives that wait for a message, without those of a shared queue. */
  long receivesPosted() {
    return receiveQueue == 0 ? receivesTaken - receivesCompleted : 0;
  }

  /** Receives that have completed. */
  long receivesCompleted() {
    return receivesCompleted;
  }

  /** Plain DDP: reports a filled receive of a queue. */
  void receivedUntagged(int slot, long octets, long rsvdUlp, int qn, int msn) {
    if (!ended) {
      begin(slot, CompletionStatus.SUCCESS, octets, 1).untagged(rsvdUlp, qn, msn).submit();
    }
    remove(slot, CompletionStatus.SUCCESS, octets);
  }

  /** Plain DDP: reports a notice used up by a Tagged Message. */
  void receivedTagged(int slot, long octets, int stag, long to, long rsvdUlp) {
    if (!ended) {
      begin(slot, CompletionStatus.SUCCESS, octets, 1).tagged(stag, to, rsvdUlp).submit();
    }
    remove(slot, CompletionStatus.SUCCESS, octets);
  }

  private void remove(int slot, CompletionStatus status, long octets) {
    if (trace != null) {
      trace.onCompleted(requests.opcode(slot), requests.id(slot), octets, status);
    }
    if (status == CompletionStatus.SUCCESS) {
      requests.succeeded(slot);
    }
    switch (form(slot).queue()) {
      case SEND -> sendsCompleted++;
      case RECEIVE, UNTAGGED_RECEIVE -> receivesCompleted++;
      case NOTICE -> {}
    }
    requests.remove(slot);
  }

  private RequestForm form(int slot) {
    return RequestForm.of(requests.opcode(slot));
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

  /** Transfers what it counts, and what has succeeded and is not reported. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(CompletionReports.class);
    sendsTaken = snapshot.number("sendsTaken", sendsTaken);
    sendsCompleted = snapshot.number("sendsCompleted", sendsCompleted);
    receivesTaken = snapshot.number("receivesTaken", receivesTaken);
    receivesCompleted = snapshot.number("receivesCompleted", receivesCompleted);
    unreported = snapshot.number("unreported", unreported, 0, Integer.MAX_VALUE);
    if (unreported > 0) {
      lastUnreported = snapshot.number("lastUnreported", lastUnreported);
      lastUnreportedOpcode = snapshot.number("lastUnreportedOpcode", lastUnreportedOpcode);
      lastUnreportedOctets = snapshot.number("lastUnreportedOctets", lastUnreportedOctets);
    }
    snapshot.end();
  }
}
