package org.rddp.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import org.rddp.client.types.PrivateData;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;

/**
 * Makes one connection to a peer for {@link Rddp#connect(InetSocketAddress, PrivateData, Duration,
 * ConnectionOptions)} and {@link Rddp#connectAsync}.
 */
final class Connector {
  /** Time by which the program waits longer than the daemon. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final Rddp session;
  private final InetSocketAddress remote;
  private final PrivateData privateData;
  private final Duration timeout;
  private final ConnectionOptions options;

  Connector(
      Rddp session,
      InetSocketAddress remote,
      PrivateData privateData,
      Duration timeout,
      ConnectionOptions options) {
    session.daemon().throwIfUnusable();
    options.check(session);
    this.session = session;
    this.remote = remote;
    this.privateData = privateData;
    this.timeout = TimedWait.bounded(timeout);
    this.options = options;
  }

  /** Waits until the connection is established. */
  Connection connect() {
    Connection[] made = new Connection[1];
    session
        .channel()
        .request(message(), DaemonMessage.Connecting.class, reply -> made[0] = connecting(reply));
    Connection connection = made[0];
    try {
      connection.state().awaitEstablished(timeout.plus(MARGIN));
    } catch (RddpException e) {
      connection.close();
      throw e;
    }
    return connection;
  }

  CompletionStage<Connection> connectAsync() {
    CompletableFuture<Connection> made = new CompletableFuture<>();
    return session
        .channel()
        .requestAsync(
            message(), DaemonMessage.Connecting.class, reply -> made.complete(connecting(reply)))
        .thenCompose(reply -> made.join().state().established(made.join()));
  }

  private IntFunction<ProgramMessage> message() {
    IpAddress to = InetAddresses.of(remote);
    int millis = Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE);
    return request ->
        new ProgramMessage.Connect(
            request, IpAddress.ANY, to, remote.getPort(), millis, options.settings(), privateData);
  }

  /** Adds the connection before the next event is handled, which may name it. */
  private Connection connecting(DaemonMessage.Connecting reply) {
    Connection connection = new Connection(session, session.limits(), reply.connection(), options);
    connection.state().connectTo(remote);
    session.daemon().connections().add(connection);
    return connection;
  }
}
