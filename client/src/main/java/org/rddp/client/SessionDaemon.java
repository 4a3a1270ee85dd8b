package org.rddp.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.rddp.ipc.linux.EventFd;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.EngineProcessors;
import org.rddp.ipc.ring.ProgramRings;

/**
 * The current daemon of a session: the one that it was opened with, or after a {@link Reconnect}
 * the next. Waits for the daemon, checks whether the session can be used, and ends it.
 */
final class SessionDaemon {
  private final Rddp session;
  private final Path path;
  private final RddpOptions options;
  private final EventFd wake;

  /** Null if the session ends with its daemon. */
  private final Reconnection reconnection;

  private final SessionWait wait;

  private final EngineProcessors processors =
      new EngineProcessors(processor -> link().rings().engineProcessor() == processor);

  /** Held while the session is restored or closed. */
  private final Object restoring = new Object();

  /** The daemon's end; the five below are its parts. Written by the thread that polls. */
  private volatile DaemonLink link;

  private volatile ControlChannel channel;
  private ConnectionTable connections;
  private NumberedObjects<MemoryWindow> windows;
  private NumberedObjects<SharedReceiveQueue> receiveQueues;
  private ProgramRings rings;
  private volatile boolean closed;

  SessionDaemon(Rddp session, Path path, RddpOptions options) throws SystemCallException {
    this.session = session;
    this.path = path;
    this.options = options;
    this.wake = EventFd.create();
    this.wait = SessionWait.of(wake);
    this.reconnection =
        options.reconnect() == null ? null : new Reconnection(session, options.reconnect());
  }

  /**
   * Opens the session with the daemon that answers now.
   *
   * @throws DaemonUnavailableException if there is no usable daemon; the message says what to do
   * @throws RefusedException if the daemon refuses the session
   */
  void open() {
    use(DaemonLink.open(session, path, options, wake));
  }

  /** Frees the resources of a failed {@link #open()}. */
  void abandon() {
    wait.close();
  }

  private void use(DaemonLink next) {
    connections = next.connections();
    windows = next.windows();
    receiveQueues = next.receiveQueues();
    rings = next.rings();
    session.completions().use(next);
    wait.use(next.signals());
    session.memory().use(next.channel());
    link = next;
    channel = next.channel();
  }

  DaemonLink link() {
    return link;
  }

  ControlChannel channel() {
    return channel;
  }

  ConnectionTable connections() {
    return connections;
  }

  NumberedObjects<MemoryWindow> windows() {
    return windows;
  }

  NumberedObjects<SharedReceiveQueue> receiveQueues() {
    return receiveQueues;
  }

  ProgramRings rings() {
    return rings;
  }

  /**
   * Waits for a completion in the ring, a connection request, or a change of a connection. Ignores
   * kept completions.
   *
   * @return false at the timeout
   */
  boolean awaitRing(Duration timeout) {
    if (!rings.requestSignal()) {
      return true;
    }
    long deadline = System.nanoTime() + TimedWait.bounded(timeout).toNanos();
    boolean signalled = channel.lost() == null && wait.await(timeout);
    throwIfEnded();
    return channel.lost() == null ? signalled : awaitNext(deadline);
  }

  /** Waits for a completion or another change, but not for the next daemon. */
  void awaitThisDaemon(Duration timeout) {
    if (rings.requestSignal() && channel.lost() == null) {
      wait.await(timeout);
    }
  }

  /** Chooses where threads that poll for the daemon run. */
  EngineProcessors processors() {
    return processors;
  }

  /** See {@link Rddp#eventDescriptor()}. */
  int eventDescriptor() {
    throwIfEnded();
    return wait.descriptor();
  }

  /** See {@link Rddp#arm()}. */
  void arm() {
    throwIfEnded();
    wait.clear();
    if (channel.lost() != null || !rings.requestSignal() || session.completions().isAnyKept()) {
      wake.signal();
    }
  }

  /** Waits until the session is restored, or there are completions of the lost daemon. */
  private boolean awaitNext(long deadline) {
    while (rings.requestSignal()) {
      long next = proceedAfterLoss();
      if (next == 0) {
        return true;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait.await(Duration.ofNanos(Math.min(next, left)));
      throwIfEnded();
    }
    return true;
  }

  /** Reports the loss of the daemon, or tries to go on with the next one. */
  long proceedAfterLoss() {
    if (reconnection == null) {
      channel.throwIfLost();
    }
    return reconnection.proceed();
  }

  /** Whether the program wants to go on with another daemon when this one ends. */
  boolean isReconnecting() {
    return reconnection != null;
  }

  /** Ends the objects of the lost daemon, of which all completions have been polled. */
  LostSession takeLoss() {
    // Waits for the channel's thread, so that the events before the loss have been handled.
    channel.close();
    wait.forgetSignals();
    List<LostRequest> requests = new ArrayList<>();
    for (Connection connection : connections.all()) {
      if (connection != null) {
        connection.onDaemonLost(requests);
      }
    }
    receiveQueues.forEach(queue -> queue.onDaemonLost(requests));
    return new LostSession(
        channel.lost(), link.events().lost(), requests, session.memory().onDaemonLost());
  }

  /**
   * Goes on with the daemon that answers now. Nothing has changed if it fails.
   *
   * @throws RddpException if none answers, or it refuses something
   */
  void restore() {
    synchronized (restoring) {
      throwIfClosed();
      DaemonLink old = link;
      DaemonLink next = DaemonLink.open(session, path, options, wake);
      try {
        session.memory().restore(next.channel());
        windows.forEach(window -> window.restore(next.channel(), next.windows()));
        receiveQueues.forEach(queue -> queue.restore(next.channel(), next.receiveQueues()));
        // They name receive queues.
        old.events()
            .listeners()
            .forEach(listener -> listener.restore(next.channel(), next.events()));
      } catch (RuntimeException e) {
        next.close();
        throw e;
      }
      use(next);
      old.close();
    }
  }

  void throwIfUnusable() {
    throwIfClosed();
    channel.throwIfLost();
  }

  /** Throws if the session has ended and will not go on with another daemon. */
  void throwIfEnded() {
    throwIfClosed();
    if (reconnection == null) {
      channel.throwIfLost();
    }
  }

  void throwIfClosed() {
    if (closed) {
      throw new IllegalStateException("the session is closed");
    }
  }

  /** See {@link Rddp#close()}. */
  void close() {
    synchronized (restoring) {
      if (closed) {
        return;
      }
      closed = true;
    }
    link.endSession();
    session.memory().close();
    wait.close();
    link.close();
  }
}
