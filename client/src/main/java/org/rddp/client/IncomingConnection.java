package org.rddp.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupTerms;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;

/**
 * A peer's connection request, to be accepted or rejected. Post the first receives to {@link
 * #connection()} before accepting it: the peer may send as soon as it is accepted.
 */
public final class IncomingConnection {
  private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(10);

  private final Connection connection;

  IncomingConnection(Connection connection) {
    this.connection = connection;
  }

  /** The connection. Until it is accepted, only receives can be posted. */
  public Connection connection() {
    return connection;
  }

  /** The private data of the peer's request. */
  public PrivateData privateData() {
    return connection.privateData();
  }

  /**
   * The terms if the connection is accepted: the peer's IRD and ORD, those in use here, and whether
   * this program may send first.
   */
  public StartupTerms startup() {
    return connection.startup();
  }

  /** The peer's address. */
  public InetSocketAddress remoteAddress() {
    return connection.remoteAddress();
  }

  /** Accepts the connection without private data. */
  public Connection accept() {
    return accept(PrivateData.NONE);
  }

  /** Accepts the connection as the options of the listener say. */
  public Connection accept(PrivateData privateData) {
    return accept(privateData, AcceptOptions.DEFAULTS);
  }

  /**
   * Accepts the connection.
   *
   * @param privateData for the peer's program: up to 512 octets, or 508 if the peer speaks MPA
   *     revision 2
   * @param options what is chosen for this connection
   * @return the connection, established
   * @throws ConnectionFailedException if the connection has ended in the meantime
   * @throws RefusedException if the private data is too long, or the daemon does not allow the
   *     options; the request can then be answered again
   */
  public Connection accept(PrivateData privateData, AcceptOptions options) {
    check(options);
    try {
      connection
          .session()
          .channel()
          .request(request -> message(request, privateData, options), DaemonMessage.Done.class);
    } catch (RefusedException e) {
      throw failed(e);
    }
    connection.accepted(options);
    connection.state().awaitEstablished(ACCEPT_TIMEOUT);
    return connection;
  }

  private void check(AcceptOptions options) {
    options.check(connection.session());
    connection.checkNotEnded();
  }

  private ProgramMessage message(int request, PrivateData privateData, AcceptOptions options) {
    return new ProgramMessage.Accept(request, connection.id(), options.settings(), privateData);
  }

  private RddpException failed(RefusedException e) {
    return e.reason() == Reason.INVALID || e.reason() == Reason.LIMIT
        ? e
        : new ConnectionFailedException(
            remoteAddress(), e.reason(), 0, "the connection has been rejected or has ended");
  }

  /** Accepts the connection as the options of the listener say, without blocking the caller. */
  @CheckReturnValue
  public CompletionStage<Connection> acceptAsync(PrivateData privateData) {
    return acceptAsync(privateData, AcceptOptions.DEFAULTS);
  }

  /**
   * Accepts the connection without blocking the caller.
   *
   * @param privateData for the peer's program, as for {@link #accept(PrivateData, AcceptOptions)}
   * @param options what is chosen for this connection
   * @return the connection when it is established, or an exception as {@link #accept(PrivateData,
   *     AcceptOptions)} throws. What depends on it runs on a thread of {@link CompletableFuture}'s
   *     default executor
   */
  @CheckReturnValue
  public CompletionStage<Connection> acceptAsync(PrivateData privateData, AcceptOptions options) {
    check(options);
    return connection
        .session()
        .channel()
        .requestAsync(
            request -> message(request, privateData, options),
            DaemonMessage.Done.class,
            reply -> connection.accepted(options))
        .exceptionallyCompose(failure ->
            CompletableFuture.failedFuture(
                failure.getCause() instanceof RefusedException refused ? failed(refused) : failure))
        .thenCompose(reply -> connection.state().established(connection));
  }

  /**
   * Rejects the connection.
   *
   * @param privateData for the peer's program, as for {@link #accept(PrivateData, AcceptOptions)}
   * @throws RefusedException if the private data is too long (the request can then be answered
   *     again), or the connection has ended in the meantime
   */
  public void reject(PrivateData privateData) {
    connection.checkNotEnded();
    connection
        .session()
        .channel()
        .request(
            request -> new ProgramMessage.Reject(request, connection.id(), privateData),
            DaemonMessage.Done.class);
  }
}
