package org.rddp.client;

import java.util.List;
import org.rddp.client.types.Access;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.client.types.Opcode;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.SubmissionEntry;

/**
 * A queue of receives that several connections share ({@code ibv_srq}): those that were opened or
 * accepted with {@link ConnectionOptions#withReceiveQueue}. A completion names the connection whose
 * peer has sent the message.
 *
 * <p>A connection takes a receive when a message begins, and the next one only after that message
 * is complete. A message without a receive ends its connection, or is held if the connection's
 * options say so; waiting connections are served one after the other. When a connection ends, the
 * receive of its incomplete message is flushed; other receives stay in the queue.
 *
 * <p>The posts, {@link #outstanding()} and {@link Rddp#poll} are for one thread at a time; they
 * neither block nor allocate. The other methods may be called from any thread.
 */
public final class SharedReceiveQueue implements AutoCloseable {
  private final Rddp session;
  private volatile int id;
  private final int size;
  private final int domain;
  private int outstanding;

  /** Null unless the session may lose its daemon and go on. */
  private final RequestNumbers receives;

  /** The number of the request that is begun. */
  private long begun;

  private volatile boolean limitReached;
  private volatile boolean closed;

  SharedReceiveQueue(Rddp session, int id, int size, int domain) {
    this.session = session;
    this.id = id;
    this.size = size;
    this.domain = domain;
    receives = session.daemon().isReconnecting() ? new RequestNumbers() : null;
  }

  /** Most receives in the queue. */
  public int size() {
    return size;
  }

  /** Receives posted and not reported yet. */
  public int outstanding() {
    return outstanding;
  }

  int id() {
    return id;
  }

  Rddp session() {
    return session;
  }

  /**
   * Posts memory for a message of any peer.
   *
   * @param workRequest the program's own number, given back in the completion
   * @param region with {@link Access#LOCAL_WRITE}
   * @param offset in the region
   * @param length the longest message that fits
   * @return false when this queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postReceive(long workRequest, MemoryRegion region, long offset, long length) {
    checkOpen();
    session.completions().checkThread();
    WorkQueues.checkMemory(session, region, offset, length);
    WorkQueues.checkWritable(region.rights(), "a receive");
    SubmissionEntry entry = claim(1);
    return entry != null && post(begin(entry, workRequest).memory(region.stag(), offset, length));
  }

  /**
   * Posts memory in pieces for a message of any peer.
   *
   * @param list one piece at least, in regions with {@link Access#LOCAL_WRITE}
   * @return false when this queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postReceive(long workRequest, ScatterList list) {
    checkOpen();
    WorkQueues.checkMemory(session, list);
    WorkQueues.checkWritable(list.rights(), "a receive");
    SubmissionEntry entry = claim(list.pieces().slots());
    return entry != null && post(begin(entry, workRequest).memory(list.pieces()));
  }

  private SubmissionEntry claim(int slots) {
    return outstanding < size ? session.rings().claim(slots) : null;
  }

  /** Begins a receive that names this queue instead of a connection. */
  private SubmissionEntry begin(SubmissionEntry entry, long workRequest) {
    begun = workRequest;
    return entry.begin(Opcode.RECEIVE, 0, workRequest, 0).remote(id, 0);
  }

  private boolean post(SubmissionEntry entry) {
    entry.submit();
    if (receives != null) {
      receives.add(begun);
    }
    outstanding++;
    return true;
  }

  private void checkOpen() {
    session.daemon().throwIfUnusable();
    if (closed) {
      throw new IllegalStateException("the receive queue is closed");
    }
  }

  /** Handles the polled completion of a receive. */
  void retire(PolledCompletion completion) {
    outstanding -= completion.retired();
    if (receives != null) {
      receives.remove(completion.id());
    }
  }

  /** Handles the end of its daemon; {@link #restore} follows. */
  void onDaemonLost(List<LostRequest> requests) {
    receives.forEach(number -> requests.add(new LostRequest(null, this, true, number)));
    receives.clear();
    outstanding = 0;
    limitReached = false;
  }

  /** Creates the queue again, empty, in another daemon. */
  void restore(ControlChannel channel, NumberedObjects<SharedReceiveQueue> queues) {
    if (!closed) {
      channel.request(
          request -> new ProgramMessage.CreateReceiveQueue(request, size, domain),
          DaemonMessage.ReceiveQueueCreated.class,
          reply -> {
            id = reply.queue();
            queues.put(id, this);
          });
    }
  }

  /**
   * Sets a limit ({@code srq_limit} of {@code ibv_modify_srq}): when fewer receives are left, or if
   * they are already, {@link Rddp#await} returns once and {@link #isLimitReached()} is true.
   *
   * @param limit 0 for none
   */
  public void arm(int limit) {
    checkOpen();
    if (limit < 0) {
      throw new IllegalArgumentException("a limit of " + limit + " receives; it is 0 or more");
    }
    limitReached = false;
    session
        .channel()
        .request(
            request -> new ProgramMessage.ArmReceiveQueue(request, id, limit),
            DaemonMessage.Done.class);
  }

  /** Whether fewer receives than the limit have been left since it was armed. */
  public boolean isLimitReached() {
    return limitReached;
  }

  void onLimit() {
    limitReached = true;
  }

  /**
   * Frees the queue and flushes receives that no message has taken. Does nothing if the session has
   * ended.
   *
   * @throws RefusedException when a connection or a listener uses it; close it again when they are
   *     gone
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    try {
      session
          .channel()
          .request(
              request -> new ProgramMessage.DestroyReceiveQueue(request, id),
              DaemonMessage.Done.class);
    } catch (SessionLostException | IllegalStateException sessionEnded) {
      // It has ended with the session.
    }
    closed = true;
  }

  @Override
  public String toString() {
    return "shared receive queue %08x of %d".formatted(id, size);
  }
}
