package org.rddp.daemon.engine;

import org.rddp.client.types.CompletionStatus;

/**
 * Tells a program how the requests of one connection have ended. Of those that go to the peer the
 * ones that ended well and unsignalled are left to the next report. Engine thread only.
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
   * @param receiveQueue the number of the shared one that receives come from, or 0
   */
  CompletionReports(Session session, int receiveQueue) {
    this.receiveQueue = receiveQueue;
    this.session = session;
    requests = session.requests();
  }

  /** The program knows the connection by this number. */
  void begin(int number) {
    connection = number;
  }

  /**
   * A request of the queue that goes to the peer has ended.
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
        session.complete(
            requests.id(request),
            connection,
            requests.opcode(request),
            status,
            octets,
            1 + unreported,
            0);
        unreported = 0;
      }
    }
    requests.remove(request);
  }

  /** A bind has ended; it is always reported. */
  void bindEnded(int request, CompletionStatus status) {
    if (!ended) {
      int window = requests.window(request).number();
      session.completeBind(requests.id(request), connection, status, 1 + unreported, window);
      unreported = 0;
    }
    requests.remove(request);
  }

  /** A receive will not be filled. */
  void receiveEnded(int request, CompletionStatus status) {
    if (!ended) {
      session.completeReceive(requests.id(request), connection, status, 0, 0, 0, 0, receiveQueue);
    }
    requests.remove(request);
  }

  /** A receive has been filled; flags are those of {@link org.rddp.client.types.Completion}. */
  void received(int request, long octets, int flags, int invalidated, long immediate) {
    if (!ended) {
      session.completeReceive(
          requests.id(request),
          connection,
          CompletionStatus.SUCCESS,
          octets,
          flags,
          invalidated,
          immediate,
          receiveQueue);
    }
    requests.remove(request);
  }

  /** Plain DDP: a receive of a queue has been filled, or will not be. */
  void untagged(int request, CompletionStatus status, long octets, long rsvdUlp, int qn, int msn) {
    if (!ended) {
      session.completePlainDdp(
          requests.id(request),
          connection,
          requests.opcode(request),
          status,
          octets,
          0,
          0,
          rsvdUlp,
          qn,
          msn);
    }
    requests.remove(request);
  }

  /** Plain DDP: a notice of a Tagged Message has been used up, or will not be. */
  void tagged(int request, CompletionStatus status, long octets, int stag, long to, long rsvdUlp) {
    if (!ended) {
      session.completePlainDdp(
          requests.id(request),
          connection,
          requests.opcode(request),
          status,
          octets,
          stag,
          to,
          rsvdUlp,
          0,
          0);
    }
    requests.remove(request);
  }

  /**
   * Reports the last request that ended well and unsignalled: no later completion of this queue
   * will, and both ends count what is outstanding.
   */
  void reportRest() {
    if (unreported > 0) {
      session.complete(
          lastUnreported,
          connection,
          lastUnreportedOpcode,
          CompletionStatus.SUCCESS,
          lastUnreportedOctets,
          unreported,
          0);
      unreported = 0;
    }
  }

  /** Nothing is reported from now on. */
  void stop() {
    ended = true;
  }
}
