package org.rddp.transfer;

import org.rddp.client.Completion;
import org.rddp.client.CompletionHandler;
import org.rddp.client.Connection;
import org.rddp.client.Rddp;

/**
 * A session that several threads use, each for a connection of its own. Posts and polls hold this
 * object's monitor; a completion goes to the handler of its connection, and all threads that wait
 * for the monitor's condition are woken.
 */
final class SharedSession {
  private static final int BATCH = 64;

  private final Rddp session;

  SharedSession(Rddp session) {
    this.session = session;
  }

  Rddp session() {
    return session;
  }

  /** Adds the handler of a connection's completions. It is called with the monitor held. */
  synchronized void add(Connection connection, CompletionHandler handler) {
    connection.attach(handler);
  }

  /** Removes the handler of a connection; completions that follow are ignored. */
  synchronized void remove(Connection connection) {
    connection.attach(null);
  }

  /** Passes completions on; returns how many. */
  synchronized int poll() {
    int count = session.poll(this::onCompletion, BATCH);
    if (count > 0) {
      notifyAll();
    }
    return count;
  }

  private void onCompletion(Completion completion) {
    if (completion.connection().attachment() instanceof CompletionHandler handler) {
      handler.onCompletion(completion);
    }
  }
}
