package org.rddp.daemon.control;

import java.util.concurrent.TimeUnit;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.Expectation;
import org.rddp.daemon.engine.Introduction;
import org.rddp.daemon.engine.QueuePairNumbers;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.daemon.engine.Session;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv6Address;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.snapshot.Snapshot;

/**
 * A program's requests about queue pairs whose numbers and addresses the programs tell each other
 * by other means. Control thread only.
 */
final class ProgramQueuePairs {
  private final ProgramSession program;
  private final int most;

  /**
   * Requests of a program.
   *
   * @param most numbers that it may have
   */
  ProgramQueuePairs(ProgramSession program, int most) {
    this.program = program;
    this.most = most;
  }

  /** Transfers the session's numbers. */
  void transfer(Snapshot snapshot, Session session) {
    numbers().transfer(snapshot, session);
  }

  private QueuePairNumbers numbers() {
    return program.daemonInterface().queuePairs();
  }

  void create(Session session, ProgramMessage.CreateNumber create) throws RequestRefusedException {
    int number = numbers().create(session, program.daemonInterface().number(), most);
    program.send(new DaemonMessage.NumberCreated(create.request(), number));
  }

  void free(Session session, ProgramMessage.FreeNumber free) throws RequestRefusedException {
    numbers().require(session, free.number());
    numbers().leave(free.number());
    program.onEngine(
        free.request(),
        () -> {
          try {
            session.freeNumber(free.number());
          } catch (RequestRefusedException refused) {
            program.onControl(() -> numbers().stay(free.number()));
            throw refused;
          }
          program.onControl(() -> numbers().free(session, free.number()));
          return new DaemonMessage.Done(free.request());
        });
  }

  void expect(Session session, ProgramMessage.Expect expect) throws RequestRefusedException {
    numbers().require(session, expect.number());
    Expectation expectation = expectation(expect);
    program.onEngine(
        expect.request(),
        () ->
            new DaemonMessage.Connecting(
                expect.request(), session.expect(expectation, expect.settings())));
  }

  private Expectation expectation(ProgramMessage.Expect expect) throws RequestRefusedException {
    HostAddress local = program.daemonInterface().localAddress(expect.localAddress());
    HostAddress remote = ControlAddresses.host(expect.remoteAddress());
    if (ControlAddresses.isAny(local)
        || local.getClass() != remote.getClass()
        || isLinkLocal(local) != isLinkLocal(remote)) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "no queue pair at %s connects with one at %s: both addresses are those that the peers have been told, of one family, and both link-local or neither"
              .formatted(local, remote));
    }
    check(expect.remoteNumber(), 0, "the peer's number");
    check(expect.psn(), Introduction.UNKNOWN, "the PSN of the own sends");
    check(expect.remotePsn(), 0, "the PSN of the peer's sends");
    return new Expectation(
        expect.number(),
        local,
        expect.remoteNumber(),
        remote,
        expect.psn(),
        expect.remotePsn(),
        nanos(expect.timeoutMillis()));
  }

  private static boolean isLinkLocal(HostAddress address) {
    return address instanceof Ipv6Address v6 && v6.linkLocal();
  }

  private static void check(int value, int least, String what) throws RequestRefusedException {
    if (value < least || value > Introduction.MOST) {
      throw new RequestRefusedException(
          Reason.INVALID, "%s is %d; it has 24 bits".formatted(what, value));
    }
  }

  private static long nanos(int millis) throws RequestRefusedException {
    if (millis < 0) {
      throw new RequestRefusedException(
          Reason.INVALID, "a timeout of %d ms; the longest is 2^31 - 1".formatted(millis));
    }
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  void expectPsn(Session session, ProgramMessage.ExpectPsn said) throws RequestRefusedException {
    check(said.psn(), 0, "the PSN of the own sends");
    long timeout = nanos(said.timeoutMillis());
    program.onEngine(
        said.request(),
        () -> {
          session.expectPsn(said.connection(), said.psn(), timeout);
          return new DaemonMessage.Done(said.request());
        });
  }

  /** The session has ended. */
  void end(Session session) {
    numbers().freeAll(session);
  }
}
