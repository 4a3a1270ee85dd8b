package org.rddp.daemon.engine;

import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.ip.HostAddress;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.NoRouteException;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpStack;

/**
 * Connects to a peer's address until both ends have agreed; once more, with revision 1, if the peer
 * has closed upon revision 2 (RFC 6581 section 10). Engine thread only.
 */
final class ActiveOpen {
  private static final String PERHAPS_REVISION_1 =
      "; this may be a peer of MPA revision 1, which closes upon a request of revision 2: connect"
          + " with revision 1, or allow a second try with it (revision1Retry)";

  private final Session session;
  private final SessionConnection connection;
  private final byte[] privateData;
  private final Deadline deadline;

  /** Options of a second try; null if there is none. */
  private StartupOptions again;

  /** Why there was no second try; empty if it could begin. */
  private String failedRetry = "";

  /** When it is given up, on the engine's clock in nanoseconds. */
  private long end;

  /**
   * Creates one that does nothing yet.
   *
   * @param privateData of the connection's Request
   * @param deadline of the connection
   * @param again options of a second try; null for none
   */
  ActiveOpen(
      Session session,
      SessionConnection connection,
      byte[] privateData,
      Deadline deadline,
      StartupOptions again) {
    this.session = session;
    this.connection = connection;
    this.privateData = privateData;
    this.deadline = deadline;
    this.again = again;
  }

  /**
   * Begins to connect.
   *
   * @param timeout nanoseconds until it is given up
   */
  void begin(HostAddress address, int port, long timeout) throws RequestRefusedException {
    session.add(connection);
    try {
      end = connect(address, port).now() + timeout;
      deadline.set(end);
    } catch (IllegalStateException e) {
      connection.abandon();
      Reason reason = e instanceof NoRouteException ? Reason.UNREACHABLE : Reason.LIMIT;
      throw new RequestRefusedException(reason, "cannot connect: " + e.getMessage());
    }
  }

  private TcpConnection connect(HostAddress address, int port) {
    TcpStack stack = session.engine().tcp();
    TcpChoices choices = TcpChoices.of(connection.settings());
    TcpConnection tcp = stack.connect(address, port, connection.startup(), choices::apply);
    connection.begin(tcp, connection.startup());
    return tcp;
  }

  /**
   * Connects once more if the peer has closed the connection upon a Request of revision 2. The
   * connect timeout is not extended.
   *
   * @param failure of the connection; null if TCP has ended without one
   * @return whether it does
   */
  boolean retries(EndCause failure, CloseReason reason) {
    if (again == null
        || connection.hasRequests() // they have been flushed
        || !closedUponRequest(failure, reason)) {
      return false;
    }
    session.engine().counters().startupsRetried++;
    session.memory().release(connection.ddp());
    connection.prepare(connection.settings().withStartup(again)); // P2P-10-01
    connection.prepareRequest(privateData);
    again = null;
    try {
      connect(connection.ends().remoteAddress(), connection.ends().remotePort());
    } catch (IllegalStateException e) {
      failedRetry = "; cannot connect again: " + e.getMessage();
      return false;
    }
    deadline.set(end);
    return true;
  }

  /**
   * Adds what is known of the peer.
   *
   * @param cause of the connection's end, as TCP has told it if that explains the failure
   */
  EndCause explain(EndCause cause, EndCause failure, CloseReason reason) {
    if (closedUponRequest(failure, reason)) {
      return cause.withMore(PERHAPS_REVISION_1);
    }
    return cause.equals(failure) ? cause.withMore(failedRetry) : cause;
  }

  /** Whether the peer has closed the connection upon a Request of revision 2 without an answer. */
  private boolean closedUponRequest(EndCause failure, CloseReason reason) {
    return failure != null
        && failure.isLoss()
        && reason != CloseReason.TIMEOUT
        // P2P-10-01; P2P-10-04: "it MUST close the TCP connection and exit MPA"
        && connection.startup().requestUnanswered();
  }

  /**
   * Transfers it.
   *
   * @param deadline of the connection
   * @param written null if it is read
   */
  static ActiveOpen transfer(
      Snapshot snapshot,
      Session session,
      SessionConnection connection,
      Deadline deadline,
      ActiveOpen written) {
    boolean reads = written == null;
    snapshot.begin(ActiveOpen.class);
    StartupOptions again =
        snapshot.record("again", StartupOptions.class, reads ? null : written.again);
    byte[] privateData = snapshot.octets("privateData", reads ? null : written.privateData);
    if (privateData == null) {
      throw snapshot.wrong("the Request has no Private Data");
    }
    ActiveOpen opening =
        reads ? new ActiveOpen(session, connection, privateData, deadline, again) : written;
    opening.end = snapshot.number("end", opening.end);
    snapshot.end();
    return opening;
  }
}
