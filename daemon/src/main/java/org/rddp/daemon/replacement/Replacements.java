package org.rddp.daemon.replacement;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.rddp.ipc.control.ThreadEnd;
import org.rddp.ipc.linux.SystemCallException;

/**
 * Lets other processes of this daemon's user take its place, one at a time: one thread serves it,
 * and another one refuses those that come meanwhile.
 */
public final class Replacements implements AutoCloseable {
  /** Processes outside of this one's PID namespace have the number 0. */
  private static final int NOBODY = -1;

  /** Longest pause in ns after a failed accept(2). */
  private static final long ACCEPT_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private final ReplacementSocket socket;
  private final Departing state;
  private final Consumer<String> log;
  private final Thread accepting = new Thread(this::run, "rddp-replacement");

  /** Null if none has been served. */
  private volatile Thread serving;

  /** Number of the process that is served. */
  private volatile int successor = NOBODY;

  /** Whether another daemon has this one's place. */
  private volatile boolean left;

  private volatile boolean closed;

  private Replacements(ReplacementSocket socket, Departing state, Consumer<String> log) {
    this.socket = socket;
    this.state = state;
    this.log = log;
    accepting.setDaemon(true);
  }

  /**
   * Begins to listen.
   *
   * @param control the control socket, which this process alone has
   * @param state of this daemon; called on one thread at a time
   * @param log takes what happens, for the operator
   * @throws IOException if there can be no socket
   */
  public static Replacements start(Path control, Departing state, Consumer<String> log)
      throws IOException {
    Replacements started = new Replacements(ReplacementSocket.bind(control), state, log);
    started.accepting.start();
    return started;
  }

  private void run() {
    while (!closed && !left) {
      try {
        ReplacementChannel channel = socket.accept();
        if (channel != null) {
          admit(channel);
        }
      } catch (SystemCallException | RuntimeException | Error e) {
        // For example, no descriptors are left, or no memory for a thread. It waits in the backlog.
        log.accept("a daemon that wants to take this one's place has to wait: " + e.getMessage());
        LockSupport.parkNanos(this, ACCEPT_PAUSE);
      }
    }
    if (left) {
      socket.leave();
    }
  }

  private void admit(ReplacementChannel channel) throws SystemCallException {
    if (successor != NOBODY) {
      try (channel) {
        channel.refuse("another daemon, pid %d, is taking its place".formatted(successor));
      }
      return;
    }
    successor = channel.peer().pid();
    serving = new Thread(() -> serve(channel), "rddp-replaced");
    serving.setDaemon(true);
    try {
      serving.start();
    } catch (Error noThread) {
      successor = NOBODY;
      channel.close();
      throw noThread;
    }
  }

  private void serve(ReplacementChannel channel) {
    try (channel) {
      String how;
      try {
        left = new Predecessor(channel, state).run() == Predecessor.Outcome.LEFT;
        how =
            left
                ? "another daemon has taken this one's place"
                : "another daemon has tried to take this one's place, and could have it";
      } catch (IOException | RuntimeException | Error e) {
        how = "another daemon has not got this one's place: " + e.getMessage();
      }
      if (left) {
        log.accept(how);
        socket.wake();
        state.leave();
      } else {
        // Before anybody notices the end, and asks again.
        successor = NOBODY;
        log.accept(how);
      }
    }
  }

  /** Stops listening; waits until a replacement that is under way has come to its end. */
  @Override
  public void close() throws IOException {
    closed = true;
    socket.wake();
    LockSupport.unpark(accepting);
    ThreadEnd.await(accepting);
    if (serving != null) {
      ThreadEnd.await(serving);
    }
    socket.close();
  }
}
