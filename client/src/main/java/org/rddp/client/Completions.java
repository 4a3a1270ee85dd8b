package org.rddp.client;

import java.time.Duration;
import java.util.ArrayDeque;
import org.rddp.ipc.ring.AdaptivePolling;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.ProgramRings;

/**
 * Reads a session's completion ring, finds the connection of each completion, and keeps those that
 * were not asked for. For one thread at a time.
 */
final class Completions {
  /** Pause between checks for the last completions of a connection, in case a signal is missed. */
  private static final Duration LOOK = Duration.ofMillis(100);

  /** The longest time, in ns, for which a blocking call polls before it blocks. */
  private static final long POLLING = 50_000;

  private final Rddp session;
  private final CompletionQueue mainQueue = new CompletionQueue(this);
  private final ThreadCheck threads = new ThreadCheck();
  private final AdaptivePolling polling = new AdaptivePolling(POLLING);

  /** Completions for reuse. */
  private final ArrayDeque<Completion> spares = new ArrayDeque<>();

  /** Number of completions that the queues keep. */
  private int kept;

  private ProgramRings rings;
  private ConnectionTable connections;
  private NumberedObjects<MemoryWindow> windows;
  private NumberedObjects<SharedReceiveQueue> receiveQueues;

  Completions(Rddp session) {
    this.session = session;
  }

  /** Switches to the ring of a daemon. No completion of another daemon may be kept. */
  void use(DaemonLink link) {
    rings = link.rings();
    connections = link.connections();
    windows = link.windows();
    receiveQueues = link.receiveQueues();
  }

  Rddp session() {
    return session;
  }

  /** The queue of connections whose options name no other. */
  CompletionQueue mainQueue() {
    return mainQueue;
  }

  /** Whether a queue keeps unpolled completions. */
  boolean isAnyKept() {
    return kept > 0;
  }

  /** Waits until the ring has a completion, or something else happens in the session. */
  boolean awaitAny(Duration timeout) {
    boolean entered = threads.enter();
    try {
      return kept > 0 || session.daemon().awaitRing(timeout);
    } finally {
      threads.leave(entered);
    }
  }

  /** Checks the thread of a post that begins. */
  void checkThread() {
    threads.check();
  }

  /** Whether all completions have been polled. */
  boolean isEmpty() {
    return kept == 0 && rings.isEmpty();
  }

  /** Whether the session is full of requests that no completion will report. */
  boolean isMute() {
    boolean mute = rings.outstanding() >= rings.capacity() && receiveQueues.isEmpty();
    for (Connection connection : connections.all()) {
      mute = mute && (connection == null || connection.isMute());
    }
    return mute;
  }

  /** Passes completions of one queue to the handler. */
  int poll(CompletionQueue queue, CompletionHandler handler, int max) {
    session.daemon().throwIfClosed();
    boolean entered = threads.enter();
    try {
      return pollInside(queue, handler, max);
    } finally {
      threads.leave(entered);
    }
  }

  private int pollInside(CompletionQueue queue, CompletionHandler handler, int max) {
    if (queue.isEmpty() && rings.isEmpty()) {
      connections.foundRingEmpty();
      pollInVain();
      return 0;
    }
    int count = queue.isEmpty() ? 0 : passKept(queue, handler, max);
    Completion completion = take();
    try {
      while (count < max && read(completion)) {
        if (queueOf(completion) == queue) {
          count++;
          pass(completion, handler);
        } else {
          keep(completion);
        }
      }
    } finally {
      rings.publish();
      spares.push(completion);
    }
    if (count == 0) {
      pollInVain();
    }
    return count;
  }

  private void pollInVain() {
    // Poll kept completions of other queues first: they belong to the lost daemon.
    if (session.channel().lost() != null && (kept == 0 || !session.daemon().isReconnecting())) {
      session.daemon().proceedAfterLoss();
    }
    Thread.onSpinWait();
  }

  private int passKept(CompletionQueue queue, CompletionHandler handler, int max) {
    int count = 0;
    while (count < max && !queue.isEmpty()) {
      count++;
      passKept(queue.next(), handler);
    }
    return count;
  }

  private void passKept(Completion completion, CompletionHandler handler) {
    kept--;
    try {
      pass(completion, handler);
    } finally {
      spares.push(completion);
    }
  }

  /**
   * Passes the completions of an ended connection until none of its requests is outstanding. Keeps
   * those of other connections.
   *
   * @return number of completions passed
   */
  int drain(Connection connection, CompletionHandler handler) {
    boolean entered = threads.enter();
    try {
      return drainInside(connection, handler);
    } finally {
      threads.leave(entered);
    }
  }

  private int drainInside(Connection connection, CompletionHandler handler) {
    int count = 0;
    boolean idle = false;
    while (!idle) {
      int passed = passAll(connection, handler);
      count += passed;
      idle = connection.isIdle();
      if (passed == 0 && !idle) {
        session.daemon().throwIfUnusable();
        session.daemon().awaitRing(LOOK);
      }
    }
    return count;
  }

  private int passAll(Connection connection, CompletionHandler handler) {
    int count = 0;
    readAll();
    Completion completion = connection.completionQueue().next(connection);
    while (completion != null) {
      count++;
      passKept(completion, handler);
      completion = connection.completionQueue().next(connection);
    }
    return count;
  }

  /**
   * Waits for the completion of one request, which no handler gets. Keeps others.
   *
   * @param deadline of {@link System#nanoTime}
   * @return false at the deadline
   */
  boolean await(Awaited awaited, long deadline) {
    boolean entered = threads.enter();
    try {
      return awaitInside(awaited, deadline);
    } finally {
      threads.leave(entered);
    }
  }

  private boolean awaitInside(Awaited awaited, long deadline) {
    Completion completion = new Completion();
    while (awaitNext(completion, deadline)) {
      if (awaited.is(completion)) {
        retire(completion);
        awaited.completed(completion);
        return true;
      }
      keep(completion);
    }
    return false;
  }

  /** Waits for a completion, and keeps it; false at the deadline. */
  boolean keepNext(long deadline) {
    Completion completion = take();
    try {
      boolean there = awaitNext(completion, deadline);
      if (there) {
        keep(completion);
      }
      return there;
    } finally {
      spares.push(completion);
    }
  }

  private boolean awaitNext(Completion completion, long deadline) {
    polling.begin();
    while (!read(completion)) {
      session.daemon().throwIfUnusable();
      long now = System.nanoTime();
      if (now - deadline >= 0) {
        return false;
      }
      if (!polling.goesOn()) {
        // The next daemon does not know the request.
        session.daemon().awaitThisDaemon(Duration.ofNanos(deadline - now));
      }
    }
    polling.succeed();
    rings.publish();
    return true;
  }

  /** Keeps all completions in the ring, each for its queue. */
  private void readAll() {
    Completion completion = take();
    try {
      while (read(completion)) {
        keep(completion);
      }
    } finally {
      rings.publish();
      spares.push(completion);
    }
  }

  /** Reads the ring's next completion, skipping abandoned requests, and finds its connection. */
  private boolean read(Completion completion) {
    while (readNext(completion)) {
      Connection connection = completion.connection();
      if (connection == null || !connection.isUnwanted(completion)) {
        return true;
      }
      retire(completion);
    }
    return false;
  }

  private boolean readNext(Completion completion) {
    if (!rings.read(completion.entry())) {
      connections.foundRingEmpty();
      return false;
    }
    Connection connection = connections.get(completion.connectionId());
    completion.connection(connection);
    if (connection != null) {
      completion.place(connection.reported(completion.entry()));
    }
    return true;
  }

  private CompletionQueue queueOf(Completion completion) {
    Connection connection = completion.connection();
    return connection == null ? mainQueue : connection.completionQueue();
  }

  private void keep(Completion completion) {
    Completion copy = take();
    copy.copyFrom(completion);
    queueOf(completion).keep(copy);
    kept++;
  }

  private Completion take() {
    Completion spare = spares.poll();
    return spare == null ? new Completion() : spare;
  }

  private void pass(Completion completion, CompletionHandler handler) {
    retire(completion);
    handler.onCompletion(completion);
  }

  /** Updates the queues and windows that the completion concerns. */
  private void retire(Completion completion) {
    PolledCompletion entry = completion.entry();
    rings.retire(entry.retired());
    if (completion.connection() != null) {
      completion.connection().retire(entry);
    }
    if (entry.receiveQueue() != 0) {
      SharedReceiveQueue queue = receiveQueues.get(entry.receiveQueue());
      if (queue != null) {
        queue.retire(entry);
      }
    }
    if (entry.window() != 0) {
      MemoryWindow window = windows.get(entry.window());
      if (window != null) {
        window.bindCompleted(entry);
      }
    }
  }
}
