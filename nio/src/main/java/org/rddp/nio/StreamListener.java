package org.rddp.nio;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.rddp.client.RefusedException;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;

/** A listener at the daemon, and at the next daemon once that one has ended. Thread-safe. */
final class StreamListener {
  private final StreamDaemon daemon;
  private final InetSocketAddress at;
  private final int backlog;
  private final int flags;
  private final Runnable changed;
  private final ReentrantLock lock = new ReentrantLock();

  /** Null while there is no daemon. */
  private volatile Shared<ProgramListener> part;

  /** A stream that was received to find out whether there is one; under the lock. */
  private ProgramStream offered;

  /** Under the lock. */
  private boolean closed;

  /**
   * Listens.
   *
   * @param changed is run when {@link #part} has changed
   */
  StreamListener(
      StreamDaemon daemon, InetSocketAddress at, int backlog, int flags, Runnable changed)
      throws IOException {
    this.daemon = daemon;
    this.backlog = backlog;
    this.flags = flags;
    this.changed = changed;
    ProgramListener made = daemon.listen(at, backlog, flags);
    this.at = new InetSocketAddress(at.getAddress(), made.port());
    part = shared(made);
  }

  private static Shared<ProgramListener> shared(ProgramListener made) {
    return new Shared<>(made, made.descriptor(), () -> end(made), made::close);
  }

  private static void end(ProgramListener ended) {
    try {
      ended.end();
    } catch (IOException | RefusedException e) {
      // The daemon has ended, and the listener with it.
    }
  }

  int port() {
    return at.getPort();
  }

  /** What becomes ready; null: there is no daemon. */
  Shared<ProgramListener> part() {
    return part;
  }

  /** Whether {@link #take} has a stream or a failure to tell. */
  boolean isOffered() {
    lock.lock();
    try {
      receive();
      return offered != null;
    } catch (IOException e) {
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Takes a stream that waits, or null. */
  ProgramStream take() throws IOException {
    lock.lock();
    try {
      receive();
      ProgramStream taken = offered;
      offered = null;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private void receive() throws IOException {
    Shared<ProgramListener> used = part;
    ProgramListener own = offered != null || used == null ? null : used.acquire();
    if (own == null) {
      return;
    }
    try {
      offered = own.accept(Duration.ZERO);
    } catch (EOFException e) {
      part = null;
      used.close();
      daemon.listenLater(this);
      changed.run();
    } finally {
      used.release();
    }
  }

  /** Returns whether it listens again, or nobody wants it to. */
  boolean listensAgain() {
    if (isClosed()) {
      return true;
    }
    try {
      Shared<ProgramListener> made = shared(daemon.listen(at, backlog, flags));
      lock.lock();
      try {
        if (closed) {
          made.close();
        } else {
          part = made;
        }
      } finally {
        lock.unlock();
      }
      changed.run();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      if (part != null) {
        part.close();
      }
      if (offered != null) {
        offered.abortAtClose();
        offered.close();
        offered = null;
      }
    } finally {
      lock.unlock();
    }
  }
}
