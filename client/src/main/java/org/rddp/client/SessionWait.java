package org.rddp.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import org.rddp.ipc.linux.EpollSet;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.WakeSocket;

/**
 * Waits for the daemon's signal of completions, and for events of the session. A virtual thread
 * would pin its carrier, so a thread of the session waits for it.
 */
final class SessionWait implements AutoCloseable {
  private final EventFd wake;
  private final EpollSet both;
  private final PollSet poll = new PollSet();
  private final InterruptWatch interrupts;

  /** Held during a wait, so that {@link #close()} does not close the descriptors under it. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Null before a virtual thread waits. */
  private ExecutorService helper;

  /** The signals of the daemon; null while there is none. */
  private WakeSocket signals;

  private boolean closed;

  private SessionWait(EventFd wake, EpollSet both) {
    this.wake = wake;
    this.both = both;
    poll.add(both.descriptor());
    interrupts = new InterruptWatch(wake::signal);
  }

  /**
   * Waits for events only, until {@link #use}.
   *
   * @param wake signalled after each event; closed with the wait, or if this fails
   */
  static SessionWait of(EventFd wake) throws SystemCallException {
    try {
      return new SessionWait(wake, EpollSet.of(wake.descriptor()));
    } catch (SystemCallException e) {
      wake.close();
      throw e;
    }
  }

  /** Waits for the signals of a daemon, too. They are closed by their owner. */
  void use(WakeSocket next) {
    lock.lock();
    try {
      forgetSignals();
      both.add(next.descriptor());
      signals = next;
    } catch (SystemCallException e) {
      throw new RddpException("no descriptor for completions: " + e.getMessage(), e);
    } finally {
      lock.unlock();
    }
  }

  /** Stops waiting for the signals of a daemon, whose end is closed. */
  void forgetSignals() {
    lock.lock();
    try {
      if (signals != null) {
        both.remove(signals.descriptor());
        signals = null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** The number of a descriptor that is readable while a signal or an event is pending. */
  int descriptor() {
    return both.descriptor().number();
  }

  /** Forgets signals and events that are pending. */
  void clear() {
    lock.lock();
    try {
      if (!closed) {
        if (signals != null) {
          signals.clear();
        }
        wake.clear();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits; false at the timeout. A signal or an event that ends the wait is no longer pending. */
  boolean await(Duration timeout) {
    boolean signalled =
        Thread.currentThread().isVirtual() ? awaitElsewhere(timeout) : awaitHere(timeout);
    if (Thread.currentThread().isInterrupted()) {
      throw new RddpException("interrupted while waiting", null);
    }
    return signalled;
  }

  private boolean awaitHere(Duration timeout) {
    lock.lock();
    try {
      if (closed) {
        return true;
      }
      interrupts.enter();
      boolean signalled;
      try {
        signalled = poll.await(TimedWait.bounded(timeout).toNanos()) > 0;
      } finally {
        interrupts.leave();
      }
      if (signalled) {
        clear();
      }
      return signalled;
    } catch (SystemCallException e) {
      throw new RddpException("the wait for completions failed: " + e.getMessage(), e);
    } finally {
      lock.unlock();
    }
  }

  private boolean awaitElsewhere(Duration timeout) {
    CompletableFuture<Boolean> result =
        CompletableFuture.supplyAsync(() -> awaitHere(timeout), helper());
    try {
      return result.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      wake.signal();
      return true;
    } catch (ExecutionException e) {
      throw new RddpException(e.getCause().getMessage(), e.getCause());
    }
  }

  private synchronized ExecutorService helper() {
    if (helper == null) {
      helper =
          Executors.newSingleThreadExecutor(
              Thread.ofPlatform().daemon().name("rddp-await").factory());
    }
    return helper;
  }

  /** Ends waits, and closes the descriptors. */
  @Override
  public void close() {
    wake.signal();
    lock.lock();
    try {
      closed = true;
      both.close();
      wake.close();
    } finally {
      lock.unlock();
    }
    synchronized (this) {
      if (helper != null) {
        helper.shutdown();
      }
    }
  }
}
