package org.rddp.daemon.replacement;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.rddp.ipc.linux.SystemCallException;

/**
 * Lets other processes of this daemon's user take its place, one at a time, on a thread of its own.
 */
public final class Replacements implements AutoCloseable {
  private final ReplacementSocket socket;
  private final Departing state;
  private final Consumer<String> log;
  private final Thread thread = new Thread(this::run, "rddp-replacement");
  private volatile boolean closed;

  private Replacements(ReplacementSocket socket, Departing state, Consumer<String> log) {
    this.socket = socket;
    this.state = state;
    this.log = log;
    thread.setDaemon(true);
  }

  /**
   * Begins to listen.
   *
   * @param control the control socket, which this process alone has
   * @param state of this daemon; called on the thread
   * @param log takes what happens, for the operator
   * @throws IOException if there can be no socket
   */
  public static Replacements start(Path control, Departing state, Consumer<String> log)
      throws IOException {
    Replacements started = new Replacements(ReplacementSocket.bind(control), state, log);
    started.thread.start();
    return started;
  }

  private void run() {
    while (!closed) {
      try (ReplacementChannel channel = socket.accept()) {
        if (channel != null) {
          serve(channel);
        }
      } catch (SystemCallException e) {
        log.accept("no daemon can take this one's place any more: " + e.getMessage());
        return;
      }
    }
  }

  private void serve(ReplacementChannel channel) {
    try {
      if (new Predecessor(channel, state).run() == Predecessor.Outcome.LEFT) {
        closed = true;
        socket.leave();
        log.accept("another daemon has taken this one's place");
        state.leave();
      } else {
        log.accept("another daemon has tried to take this one's place, and could have it");
      }
    } catch (IOException | RuntimeException e) {
      log.accept("another daemon has not got this one's place: " + e.getMessage());
    }
  }

  /** Stops listening; waits until a replacement that is under way has come to its end. */
  @Override
  public void close() throws IOException {
    closed = true;
    socket.wake();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    socket.close();
  }
}
