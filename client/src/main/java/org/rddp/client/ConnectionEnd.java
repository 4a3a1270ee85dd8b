package org.rddp.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;

/** Asks the daemon to end a connection. Thread-safe. */
final class ConnectionEnd {
  /** Time for the peer to answer before a close becomes a reset. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final Connection connection;

  ConnectionEnd(Connection connection) {
    this.connection = connection;
  }

  private ConnectionState life() {
    return connection.state();
  }

  private ControlChannel channel() {
    return connection.session().channel();
  }

  private IntFunction<ProgramMessage> message(boolean graceful) {
    return request -> new ProgramMessage.Disconnect(request, connection.id(), graceful);
  }

  /**
   * Asks for the end, and waits until the daemon has begun it.
   *
   * @param graceful true: send what was posted first; false: reset at once
   */
  void request(boolean graceful) {
    if (life().isClosed()) {
      return;
    }
    try {
      channel().request(message(graceful), DaemonMessage.Done.class);
    } catch (RefusedException e) {
      // It has ended by itself in the meantime.
      if (e.reason() != Reason.NOT_FOUND && e.reason() != Reason.STATE) {
        throw e;
      }
    }
  }

  /** Ends the connection gracefully, or with a reset at the timeout; returns when it has ended. */
  void close() {
    try {
      request(true);
      if (!life().awaitClosed(TIMEOUT)) {
        request(false);
      }
    } catch (RddpException | IllegalStateException sessionEnded) {
      // The connection has ended with the session.
    }
  }

  /** Closes the connection without blocking the caller. */
  CompletionStage<Void> closeAsync() {
    requestAsync(true);
    CompletableFuture.delayedExecutor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .execute(() -> requestAsync(false));
    return life().ended();
  }

  /** Ignores the answer: the connection or the session may have ended. */
  private void requestAsync(boolean graceful) {
    if (!life().isClosed()) {
      CompletableFuture<DaemonMessage.Done> _ =
          channel().requestAsync(message(graceful), DaemonMessage.Done.class, reply -> {});
    }
  }
}
