package org.rddp.daemon.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.snapshot.Snapshot;

/**
 * The queue pairs of a session that expect a peer, or have one; and the peers that have introduced
 * themselves too early, one for each queue pair. Engine thread only.
 */
final class Meetings {
  /** Most introductions that are kept. */
  private static final int MOST_KEPT = 1024;

  private final Session session;
  private final QueuePairNumbers numbers;
  private final Map<Integer, Meeting> meetings = new HashMap<>();
  private final Map<Integer, IncomingIntroduction> kept = new HashMap<>();
  private boolean ended;

  Meetings(Session session, QueuePairNumbers numbers) {
    this.session = session;
    this.numbers = numbers;
  }

  /**
   * A queue pair expects a peer.
   *
   * @return the connection, which waits for the peer
   */
  SessionConnection expect(Expectation expectation, ConnectionSettings settings)
      throws RequestRefusedException {
    int number = expectation.number();
    if (meetings.containsKey(number)) {
      throw new RequestRefusedException(
          Reason.STATE,
          "queue pair 0x%06x has a connection that has not ended: disconnect it first"
              .formatted(number));
    }
    SessionConnection connection =
        SessionConnection.expecting(session, session.reserve(), settings);
    Meeting meeting = new Meeting(this, session.engine(), connection, expectation, numbers.port());
    connection.meet(meeting);
    meetings.put(number, meeting);
    meeting.begin();
    return connection;
  }

  /** A queue pair expects what it has expected in another engine. */
  Meeting inherit(Snapshot snapshot, SessionConnection connection, Expectation expectation) {
    Meeting meeting = new Meeting(this, session.engine(), connection, expectation, numbers.port());
    if (meetings.put(expectation.number(), meeting) != null) {
      throw snapshot.wrong("a queue pair has two connections");
    }
    return meeting;
  }

  /** Keeps an introduction that another engine has kept; false if there is one. */
  boolean inherit(IncomingIntroduction incoming) {
    return kept.putIfAbsent(incoming.introduction().to(), incoming) == null;
  }

  /** The peer that has introduced itself to a queue pair and is kept; null if there is none. */
  IncomingIntroduction kept(int number) {
    return kept.get(number);
  }

  /** A peer has introduced itself to a queue pair of this session. */
  void introduce(IncomingIntroduction incoming) {
    if (ended) {
      incoming.refuse();
      return;
    }
    int number = incoming.introduction().to();
    Meeting meeting = meetings.get(number);
    boolean early = meeting == null || !meeting.judges(incoming);
    if (early) {
      keep(number, incoming);
    } else if (!meeting.take(incoming)) {
      incoming.refuse();
    }
  }

  /** Keeps an introduction until its queue pair expects a peer, if there is room. */
  private void keep(int number, IncomingIntroduction incoming) {
    IncomingIntroduction before = kept.get(number);
    if (before != null && incoming.isOfSamePeer(before)) {
      // The peer knows its PSN by now.
      drop(before);
      before.refuse();
    }
    if (kept.size() < MOST_KEPT
        && !numbers.isLeaving(number) // Nobody would have it.
        && !session.engine().tcp().isNearlyFull()
        && kept.putIfAbsent(number, incoming) == null) {
      incoming.keep(this);
    } else {
      incoming.refuse();
    }
  }

  /** A kept introduction has ended, or its queue pair has it. */
  void drop(IncomingIntroduction incoming) {
    kept.remove(incoming.introduction().to(), incoming);
    incoming.leave();
  }

  /** The connection of a queue pair has ended. */
  void end(Meeting meeting) {
    meetings.remove(meeting.expectation().number(), meeting);
  }

  /** A queue pair's number is given back. */
  void free(int number) throws RequestRefusedException {
    Meeting meeting = meetings.get(number);
    if (meeting != null && meeting.isWaiting()) {
      throw new RequestRefusedException(
          Reason.STATE,
          "queue pair 0x%06x waits for its peer: disconnect it first".formatted(number));
    }
    IncomingIntroduction early = kept.get(number);
    if (early != null) {
      drop(early);
      early.refuse();
    }
  }

  /** The session ends; its connections have ended. */
  void end() {
    ended = true;
    for (IncomingIntroduction each : List.copyOf(kept.values())) {
      drop(each);
      each.refuse();
    }
  }
}
