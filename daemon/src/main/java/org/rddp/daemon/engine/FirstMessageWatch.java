package org.rddp.daemon.engine;

import java.util.concurrent.TimeUnit;

/**
 * Logs that requests of an accepted connection wait for the peer's first message, which may never
 * come. Engine thread only.
 */
final class FirstMessageWatch {
  /** Nanoseconds between two checks. */
  private static final long INTERVAL = TimeUnit.SECONDS.toNanos(1);

  private final Session session;
  private final SessionConnection connection;
  private final Deadline nextCheck;

  /** Creates a watch of a connection in Full Operation. */
  FirstMessageWatch(Session session, SessionConnection connection) {
    this.session = session;
    this.connection = connection;
    nextCheck = new Deadline(session.engine().deadlines(), this::check);
  }

  /** Watches, from now on. */
  void checkLater() {
    nextCheck.set(session.engine().tcp().now() + INTERVAL);
  }

  private void check() {
    if (!connection.isEstablished() || !connection.ddp().awaitsFirstMessage()) {
      return;
    }
    if (!connection.hasSends()) {
      checkLater();
      return;
    }
    session.engine().counters().firstMessagesAwaited++;
    session
        .engine()
        .report(
            "a message of %s to %s waits for the peer's first message"
                    .formatted(session.name(), connection.ends().remote())
                + ": only a connecting program that asks for peer-to-peer lets the accepting one"
                + " send first");
  }

  /** When it looks next. */
  Deadline nextCheck() {
    return nextCheck;
  }

  void end() {
    nextCheck.clear();
  }
}
