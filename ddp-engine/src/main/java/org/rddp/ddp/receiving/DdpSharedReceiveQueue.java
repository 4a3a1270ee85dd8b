package org.rddp.ddp.receiving;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongPredicate;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

/**
 * Untagged Buffers shared by several streams (a shared receive queue in verbs; RFC 5041 section
 * 8.3.2 describes buffers shared across streams).
 *
 * <p>A stream takes the first buffer when it takes the first segment of a message, and keeps it
 * until the message is Delivered or the stream ends. So a stream has at most one buffer at a time,
 * even if its peer begins messages and does not complete them. A message without a buffer is an
 * error of its stream or, if the stream's settings allow it, is held; waiting streams are then
 * served round-robin, one message each.
 *
 * <p>Engine thread only.
 */
public final class DdpSharedReceiveQueue {
  /** A stream that holds messages for want of a buffer. */
  public interface Waiter {
    /**
     * Takes a buffer that is available.
     *
     * @return whether the stream still holds messages
     */
    boolean onBufferAvailable();
  }

  private final EntryRing<ReceiveBuffer> buffers;
  private final Runnable onLimit;
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
  private int limit;
  private boolean serving;

  /** Whether the stream being served has taken a buffer. */
  private boolean served;

  /**
   * Creates a queue without buffers.
   *
   * @param depth the most buffers, 1 to 2^24
   * @param memory the bound that counts the entries; null for none
   * @param onLimit called once after each {@link #arm}, when fewer buffers than the limit are left
   */
  public DdpSharedReceiveQueue(int depth, QueueMemory memory, Runnable onLimit) {
    buffers = new EntryRing<>(depth, ReceiveBuffer::new, ReceiveBuffer.OCTETS, memory);
    this.onLimit = onLimit;
  }

  /**
   * Appends a buffer; a message held for it is taken within this call.
   *
   * @param request says where a message goes, 0 to 2^32-1 octets; its token comes back from the
   *     stream that takes the buffer
   * @return false, with no effect, if the queue is full
   */
  public boolean post(StreamRequest request) {
    if (buffers.isFull()) {
      return false;
    }
    buffers.add().post(request.token(), request.message());
    serve();
    return true;
  }

  /**
   * Serves waiting streams. The user may post again from within; the outer loop then uses that
   * buffer, too.
   */
  private void serve() {
    if (serving) {
      return;
    }
    serving = true;
    try {
      int left = waiting.size();
      while (!buffers.isEmpty() && left > 0) {
        Waiter first = waiting.removeFirst();
        served = false;
        if (first.onBufferAvailable()) { // DDP-7.1-04
          waiting.addLast(first);
        }
        // A stream that is already taking its held messages takes the buffer in its own loop, not
        // here.
        left = served ? waiting.size() : left - 1;
      }
    } finally {
      serving = false;
    }
  }

  /** Revokes the memory of buffers, by their tokens, that no stream has taken. */
  public void revoke(LongPredicate tokens) {
    for (int i = 0; i < buffers.size(); i++) {
      if (tokens.test(buffers.get(i).token())) {
        buffers.get(i).revoke();
      }
    }
  }

  /** Number of buffers that no stream has taken. */
  public int size() {
    return buffers.size();
  }

  /** The most buffers. */
  public int depth() {
    return buffers.capacity();
  }

  /**
   * Requests one call of {@code onLimit} when fewer than {@code limit} buffers are left; the call
   * is made at once if that is so now.
   *
   * @param limit number of buffers; 0 for no call
   */
  public void arm(int limit) {
    this.limit = limit;
    checkLimit();
  }

  private void checkLimit() {
    if (buffers.size() < limit) {
      limit = 0;
      // DDP-8.3.2-06, RDMAP-8.1.2-08: "attempting to consume more than its fair share of resources"
      onLimit.run();
    }
  }

  /** Removes the first buffer and returns its token; -1 if there is none. */
  public long withdraw() {
    return buffers.isEmpty() ? -1 : buffers.removeFirst().token();
  }

  /**
   * Whether no buffer is available to a stream now. While other streams wait, the stream being
   * served gets only one buffer, even if the user has posted more meanwhile.
   */
  boolean isEmpty() {
    return buffers.isEmpty() || (serving && served && !waiting.isEmpty());
  }

  /** Moves the first buffer into {@code taken}, a stream's own; must not be empty. */
  void takeInto(ReceiveBuffer taken) {
    taken.take(buffers.removeFirst());
    served = true;
    if (limit > 0) {
      checkLimit();
    }
  }

  /** Registers a stream that waits for a buffer and is not registered yet. */
  void addWaiter(Waiter stream) {
    waiting.addLast(stream);
  }

  /** Removes a stream that has ended. */
  void removeWaiter(Waiter stream) {
    waiting.remove(stream);
  }

  /**
   * Transfers the buffers and the streams that wait for some.
   *
   * @param streams all that may wait
   */
  public void transfer(
      Snapshot snapshot, DdpReferences references, List<? extends Waiter> streams) {
    snapshot.begin(DdpSharedReceiveQueue.class);
    buffers.transfer(snapshot, "buffers", each -> each.transfer(snapshot, references));
    limit = snapshot.number("limit", limit);
    References<Waiter> all = new References<>(streams);
    Iterator<Waiter> written = List.copyOf(waiting).iterator();
    while (snapshot.flag("more", written.hasNext())) {
      Waiter stream = snapshot.reads() ? null : written.next();
      stream = all.require(snapshot, "waiting", stream);
      if (snapshot.reads()) {
        waiting.addLast(stream);
      }
    }
    snapshot.end();
  }
}
