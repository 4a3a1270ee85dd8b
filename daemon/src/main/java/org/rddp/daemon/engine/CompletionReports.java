package org.rddp.daemon.engine;

import org.rddp.client.types.CompletionStatus;
import org.rddp.ipc.ring.CompletionEntry;

/**
 * Reports the completions of one connection to its program. Unsignalled requests of the send queue
 * that succeeded are reported by the next completion of that queue. Engine thread only.
 */
final class CompletionReports {
  private final Session session;
  private final RequestTable requests;
  private final int receiveQueue;
  private int connection;
  private boolean ended;
  private int unreported;
  private long lastUnreported;
  private int lastUnreportedOpcode;
  private long lastUnreportedOctets;

  /**
   * Nothing to report yet.
   *
   * @param receiveQueue the number of the shared receive queue, or 0
   */
  CompletionReports(Session session, int receiveQueue) {
    this.receiveQueue = receiveQueue;
    this.session = session;
    requests = session.requests();
  }

  /** Sets the number of the connection. */
  void begin(int number) {
    connection = number;
  }

  /**
   * A request of the send queue has ended.
   *
   * @param octets of its message, 0 if it failed
   */
  void ended(int request, CompletionStatus status, long octets) {
    if (!ended) {
      if (status == CompletionStatus.SUCCESS && !requests.isSignalled(request)) {
        unreported++;
        lastUnreported = requests.id(request);
        lastUnreportedOpcode = requests.opcode(request);
        lastUnreportedOctets = octets;
      } else {
        begin(request, status, octets, 1 + unreported).submit();
        unreported = 0;
      }
    }
    requests.remove(request);
  }

  /** A bind has ended; it is always reported. */
  void bindEnded(int request, CompletionStatus status) {
    if (!ended) {
      SessionWindow window = requests.window(request);
      begin(request, status, 0, 1 + unreported).window(window.number(), window.nextStag()).submit();
      unreported = 0;
    }
    requests.remove(request);
  }

  /** A receive will not be filled. */
  void receiveEnded(int request, CompletionStatus status) {
    if (!ended) {
      beginReceive(request, status, 0).submit();
    }
    requests.remove(request);
  }

  /**
   * A receive has been filled.
   *
   * @param solicited whether the peer wants the program to be woken for it
   * @param invalidated the STag that the peer has invalidated with it, or 0
   */
  void received(int request, long octets, boolean solicited, int invalidated) {
    if (!ended) {
      CompletionEntry entry = beginReceive(request, CompletionStatus.SUCCESS, octets);
      if (solicited) {
        entry.solicited();
      }
      if (invalidated != 0) {
        entry.invalidated(invalidated);
      }
      entry.submit();
    }
    requests.remove(request);
  }

  /** A receive has been used up by Immediate Data. */
  void receivedImmediate(int request, long data, boolean solicited) {
    if (!ended) {
      CompletionEntry entry = beginReceive(request, CompletionStatus.SUCCESS, Long.BYTES);
      if (solicited) {
        entry.solicited();
      }
      entry.immediate(data).submit();
    }
    requests.remove(request);
  }

  /** Plain DDP: a receive of a queue has been filled. */
  void receivedUntagged(int request, long octets, long rsvdUlp, int qn, int msn) {
    if (!ended) {
      begin(request, CompletionStatus.SUCCESS, octets, 1).untagged(rsvdUlp, qn, msn).submit();
    }
    requests.remove(request);
  }

  /** Plain DDP: a receive of a queue will not be filled. */
  void untaggedEnded(int request, CompletionStatus status, int qn) {
    if (!ended) {
      begin(request, status, 0, 1).untagged(0, qn, 0).submit();
    }
    requests.remove(request);
  }

  /** Plain DDP: a notice of a Tagged Message has been used up. */
  void receivedTagged(int request, long octets, int stag, long to, long rsvdUlp) {
    if (!ended) {
      begin(request, CompletionStatus.SUCCESS, octets, 1).tagged(stag, to, rsvdUlp).submit();
    }
    requests.remove(request);
  }

  /** Plain DDP: a notice of a Tagged Message will not be used. */
  void noticeFlushed(int request) {
    if (!ended) {
      begin(request, CompletionStatus.FLUSHED, 0, 1).tagged(0, 0, 0).submit();
    }
    requests.remove(request);
  }

  private CompletionEntry beginReceive(int request, CompletionStatus status, long octets) {
    return begin(request, status, octets, 1).receiveQueue(receiveQueue);
  }

  private CompletionEntry begin(int request, CompletionStatus status, long octets, int retired) {
    return session
        .claim(retired)
        .begin(requests.id(request), connection, requests.opcode(request), status, octets);
  }

  /**
   * Reports the last unsignalled request that succeeded, since no later completion of the queue
   * does: both ends count outstanding requests.
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

  /** Nothing is reported from now on. */
  void stop() {
    ended = true;
  }
}
