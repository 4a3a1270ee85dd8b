package org.rddp.daemon.engine;

import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.control.ConnectionSettings;
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
  private final ConnectionSettings settings;
  private final Deadline deadline;

  /** Options of a second try; null if there is none. */
  private StartupOptions again;

  /** Why there was no second try; empty if it could begin. */
  private String failedRetry = "";

  private HostAddress address;
  private int port;

  /** When it is given up, on the engine's clock in nanoseconds. */
  private long end;

  /**
   * Prepares the connection's Request.
   *
   * @param deadline of the connection
   * @throws IllegalArgumentException if there is too much private data
   */
  ActiveOpen(
      Session session,
      SessionConnection connection,
      byte[] privateData,
      ConnectionSettings settings,
      Deadline deadline) {
    this.session = session;
    this.connection = connection;
    this.privateData = privateData;
    this.settings = settings;
    this.deadline = deadline;
    again = ChosenStartup.retry(session.engine().rdmapSettings(), settings.startup());
    connection.prepareRequest(privateData);
  }

  /**
   * Begins to connect.
   *
   * @param timeout nanoseconds until it is given up
   */
  void begin(HostAddress remoteAddress, int remotePort, long timeout)
      throws RequestRefusedException {
    address = remoteAddress;
    port = remotePort;
    session.add(connection);
    try {
      end = connect().now() + timeout;
      deadline.set(end);
    } catch (IllegalStateException e) {
      connection.abandon();
      Reason reason = e instanceof NoRouteException ? Reason.UNREACHABLE : Reason.LIMIT;
      throw new RequestRefusedException(reason, "cannot connect: " + e.getMessage());
    }
  }

  private TcpConnection connect() {
    TcpStack stack = session.engine().tcp();
    TcpChoices choices = TcpChoices.of(settings);
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
    connection.prepare(settings.withStartup(again)); // P2P-10-01
    connection.prepareRequest(privateData);
    again = null;
    try {
      connect();
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
}
