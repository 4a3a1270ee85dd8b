package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rddp.client.types.Reason;
import org.rddp.ip.HostAddress;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.NoRouteException;
import org.rddp.tcp.TcpConnection;

/**
 * A queue pair's connection while it waits for the peer that it expects: it connects, again and
 * again, or accepts, as {@link Expectation#connects} says. One that is its own peer waits for room
 * only. Engine thread only.
 */
final class Meeting {
  /** First and longest pause between two tries, in nanoseconds. */
  private static final long FIRST_PAUSE = Deadlines.PERIOD;

  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(320);

  /** Checks in which a request has to wait, half the timeout apart, before it is given up. */
  private static final int CHECKS = 3;

  private static final String NO_RDDP =
      "; queue pairs connect by number only between daemons of rddp that have the same"
          + " queue-pair-port: towards other peers connect by rdma_cm";

  private final Meetings meetings;
  private final Engine engine;
  private final SessionConnection connection;
  private final int port;
  private final Deadline nextTry;
  private final Deadline nextCheck;

  /** The tries under way: one, or two once the program has said more than the first one names. */
  private final List<OutgoingIntroduction> tries = new ArrayList<>(2);

  private Expectation expectation;
  private long pause = FIRST_PAUSE;

  /** How many checks in a row have found requests that wait. */
  private int found;

  private boolean waiting = true;

  Meeting(
      Meetings meetings,
      Engine engine,
      SessionConnection connection,
      Expectation expectation,
      int port) {
    this.meetings = meetings;
    this.engine = engine;
    this.connection = connection;
    this.expectation = expectation;
    this.port = port;
    nextTry = new Deadline(engine.deadlines(), this::tryAgain);
    nextCheck = new Deadline(engine.deadlines(), this::check);
  }

  Expectation expectation() {
    return expectation;
  }

  /** Whether the peer has not come. */
  boolean isWaiting() {
    return waiting;
  }

  /**
   * Begins to wait.
   *
   * @throws RequestRefusedException if the peer cannot be reached, after the connection has ended
   */
  void begin() throws RequestRefusedException {
    watchTime();
    if (expectation.isItself()) {
      meetItself();
      return;
    }
    if (!expectation.connects()) {
      // Later, since the program must have learnt of the connection before it learns of the peer.
      engine.execute(this::takeKept);
      return;
    }
    try {
      introduce();
      checkSource();
    } catch (NoRouteException e) {
      connection.abandon();
      throw new RequestRefusedException(Reason.UNREACHABLE, "cannot connect: " + e.getMessage());
    } catch (IllegalStateException full) {
      pauseTries();
    }
  }

  /** The peer knows this end by one address, and would take no other. */
  private void checkSource() throws RequestRefusedException {
    HostAddress source = tries.getFirst().tcp().localAddress();
    if (!source.equals(expectation.local())) {
      connection.abandon();
      throw new RequestRefusedException(
          Reason.INVALID,
          "%s is reached from %s, not from %s: tell the peer that address"
              .formatted(expectation.remote(), source, expectation.local()));
    }
  }

  /**
   * The program says what it has left open.
   *
   * @param psn of its sends
   * @param timeout see {@link Expectation#timeout}
   */
  void say(int psn, long timeout) throws RequestRefusedException {
    if (!waiting) {
      return;
    }
    boolean news = expectation.psn() == Introduction.UNKNOWN;
    if (!news && expectation.psn() != psn) {
      // Each PSN would take another try, and with it a TCP connection.
      throw new RequestRefusedException(
          Reason.STATE, "queue pair 0x%06x has said its PSN".formatted(expectation.number()));
    }
    expectation = expectation.with(psn, timeout);
    watchTime();
    if (!expectation.connects()) {
      takeKept();
    } else if (news) {
      // The peer may keep the first introduction, or be about to accept it: it goes on.
      nextTry.clear();
      pause = FIRST_PAUSE;
      tryAgain();
    }
  }

  private void watchTime() {
    nextCheck.clear();
    found = 0;
    if (expectation.timeout() > 0) {
      nextCheck.set(engine.tcp().now() + expectation.timeout() / 2);
    }
  }

  private void check() {
    found = connection.hasSends() ? found + 1 : 0;
    if (found < CHECKS) {
      nextCheck.set(engine.tcp().now() + expectation.timeout() / 2);
    } else {
      connection.fail(
          Reason.TIMEOUT,
          "the peer, queue pair 0x%06x of %s, has not connected in time: it does not exist, or does not expect queue pair 0x%06x of %s"
              .formatted(
                  expectation.remoteNumber(),
                  expectation.remote(),
                  expectation.number(),
                  expectation.local()));
    }
  }

  // ---- The end that connects ----

  private void introduce() {
    tries.add(new OutgoingIntroduction(this, engine, port, connection));
  }

  private void tryAgain() {
    if (expectation.isItself()) {
      meetItself();
      return;
    }
    try {
      introduce();
    } catch (IllegalStateException full) {
      pauseTries();
    }
  }

  private void meetItself() {
    MpaStartup startup = MpaStartup.itself(connection.stream().mpa(), connection, connection.ddp());
    try {
      TcpConnection tcp = engine.tcp().connectToItself(expectation.local(), startup);
      end();
      connection.beginWithItself(tcp, startup);
    } catch (IllegalStateException full) {
      pauseTries();
    }
  }

  private void pauseTries() {
    nextTry.set(engine.tcp().now() + pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }

  /** Both ends agree. */
  void agreed(OutgoingIntroduction introduction, Negotiated terms, byte[] reply) {
    tries.remove(introduction);
    Expectation met = expectation;
    end();
    connection.begin(introduction.tcp(), introduction.startup());
    if (!Introduction.isReply(reply)) {
      connection.fail(Reason.REFUSED, stranger(met));
    } else {
      connection.onAgreed(terms, Introduction.offers(reply));
    }
  }

  /** A try has come to nothing. */
  void ended(OutgoingIntroduction introduction) {
    if (tries.remove(introduction) && tries.isEmpty()) {
      pauseTries();
    }
  }

  /** Somebody has answered who knows no introductions. */
  void answeredByStranger(OutgoingIntroduction introduction) {
    if (tries.remove(introduction)) {
      introduction.abort();
      connection.fail(Reason.REFUSED, stranger(expectation));
    }
  }

  private String stranger(Expectation met) {
    return "port %d of %s answers otherwise than the queue-pair-port of a daemon does"
            .formatted(port, met.remote())
        + NO_RDDP;
  }

  /** The peer's host has refused the connection. */
  void nobodyListens(OutgoingIntroduction introduction) {
    if (tries.remove(introduction)) {
      connection.fail(
          Reason.REFUSED,
          "nobody listens at port %d of %s".formatted(port, expectation.remote()) + NO_RDDP);
    }
  }

  // ---- The end that accepts ----

  /** Whether it can say of an introduction if it is the right one; otherwise that is too early. */
  boolean judges(IncomingIntroduction incoming) {
    return waiting && incoming.introduction().isComparable(expectation.psn());
  }

  /**
   * Accepts the peer if it is the one.
   *
   * @return whether it is
   */
  boolean take(IncomingIntroduction incoming) {
    if (expectation.connects() || !incoming.isFor(expectation)) {
      return false;
    }
    end();
    connection.accept(incoming);
    return true;
  }

  private void takeKept() {
    IncomingIntroduction early = meetings.kept(expectation.number());
    if (early != null && judges(early)) {
      meetings.drop(early);
      if (!take(early)) {
        early.refuse();
      }
    }
  }

  // ---- It goes on in another engine ----

  /**
   * Transfers how a queue pair finds its peer, or has found it.
   *
   * @param transports the connections of TCP
   * @param written null if it is read
   */
  static Meeting transfer(
      Snapshot snapshot,
      Meetings meetings,
      SessionConnection connection,
      References<TcpConnection> transports,
      Meeting written) {
    snapshot.begin(Meeting.class);
    Expectation expectation =
        Expectation.transfer(snapshot, written == null ? null : written.expectation);
    Meeting meeting =
        written == null ? meetings.inherit(snapshot, connection, expectation) : written;
    meeting.transfer(snapshot, transports);
    snapshot.end();
    return meeting;
  }

  private void transfer(Snapshot snapshot, References<TcpConnection> transports) {
    waiting = snapshot.flag("waiting", waiting);
    pause = snapshot.number("pause", pause);
    found = snapshot.number("found", found);
    nextTry.transfer(snapshot, null, null);
    nextCheck.transfer(snapshot, null, null);
    Iterator<OutgoingIntroduction> written = List.copyOf(tries).iterator();
    while (snapshot.flag("tries", written.hasNext())) {
      OutgoingIntroduction next = written.hasNext() ? written.next() : null;
      OutgoingIntroduction each =
          OutgoingIntroduction.transfer(snapshot, this, transports, connection.ddp(), next);
      if (snapshot.reads()) {
        tries.add(each);
      }
    }
  }

  /** Adds its deadlines, set or not. */
  void addDeadlines(Collection<Deadline> all) {
    all.add(nextTry);
    all.add(nextCheck);
  }

  /** The connections of TCP of its tries. */
  List<TcpConnection> tries() {
    return tries.stream().map(OutgoingIntroduction::tcp).toList();
  }

  // ---- The end of the wait ----

  /** The peer has come: nothing more is tried. */
  private void end() {
    waiting = false;
    nextTry.clear();
    nextCheck.clear();
    List<OutgoingIntroduction> others = List.copyOf(tries);
    tries.clear();
    others.forEach(OutgoingIntroduction::abort);
    IncomingIntroduction early = meetings.kept(expectation.number());
    if (early != null) {
      meetings.drop(early);
      early.refuse();
    }
  }

  /** The connection has ended. */
  void connectionEnded() {
    if (waiting) {
      end();
    }
    meetings.end(this);
  }
}
