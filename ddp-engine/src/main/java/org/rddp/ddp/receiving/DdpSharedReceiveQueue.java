package org.rddp.ddp.receiving;

import java.util.ArrayDeque;
import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.StreamRequest;

/**
 * Untagged Buffers that many streams take theirs from (a shared receive queue, in the words of
 * verbs; RFC 5041 section 8.3.2 speaks of buffers shared across streams).
 *
 * <p>A stream takes the first buffer when the first segment of a message has its turn there, and
 * keeps it until the message is Delivered or the stream ends: so no more than one at a time, and a
 * peer that begins messages and does not end them holds one buffer. A message that finds none is an
 * error of its stream, or is held where the stream's settings say so; then the streams that wait
 * are served in the order in which they began to, one message each.
 *
 * <p>Engine thread only.
 */
public final class DdpSharedReceiveQueue {
  /** A stream with messages that wait for a buffer. */
  public interface Waiter {
    /**
     * There is a buffer.
     *
     * @return whether the stream still waits
     */
    boolean onBufferAvailable();
  }

  private final EntryRing<ReceiveBuffer> buffers;
  private final Runnable onLimit;
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
  private int limit;
  private boolean serving;

  /** Whether the stream that is being served has had its message. */
  private boolean served;

  /**
   * A queue without buffers.
   *
   * @param depth the most buffers it holds, 1 to 2^24
   * @param onLimit told once after each {@link #arm} when fewer buffers are left than that
   */
  public DdpSharedReceiveQueue(int depth, Runnable onLimit) {
    buffers = new EntryRing<>(depth, ReceiveBuffer::new);
    this.onLimit = onLimit;
  }

  /**
   * Appends a buffer; a message that has waited for it is taken within this call.
   *
   * @param request says where a message goes, 0 to 2^32-1 octets; its id comes back from the stream
   *     that takes the buffer
   * @return false, and nothing happens, if the queue is full
   */
  public boolean post(StreamRequest request) {
    if (buffers.isFull()) {
      return false;
    }
    buffers.add().post(request.id(), request.message());
    serve();
    return true;
  }

  /** A message that is taken may have the user post: one loop serves for that too. */
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
        if (first.onBufferAvailable()) {
          waiting.addLast(first);
        }
        // One that is taking what it holds already takes no buffer here, but soon.
        left = served ? waiting.size() : left - 1;
      }
    } finally {
      serving = false;
    }
  }

  /** Buffers that no stream has taken. */
  public int size() {
    return buffers.size();
  }

  /** The most buffers it holds. */
  public int depth() {
    return buffers.capacity();
  }

  /**
   * Has the user told, once, that fewer than so many buffers are left: now, if that is so.
   *
   * @param limit 0 for not at all
   */
  public void arm(int limit) {
    this.limit = limit;
    checkLimit();
  }

  private void checkLimit() {
    if (buffers.size() < limit) {
      limit = 0;
      onLimit.run();
    }
  }

  /** Takes the first buffer out, for the user to have it back; -1 if there is none, else its id. */
  public long withdraw() {
    return buffers.isEmpty() ? -1 : buffers.removeFirst().id();
  }

  /**
   * Whether a stream finds no buffer now. While others wait, the one that is being served finds no
   * second one, though the user may have posted some in the meantime.
   */
  boolean isEmpty() {
    return buffers.isEmpty() || (serving && served && !waiting.isEmpty());
  }

  /** Hands the first buffer, which there is, to a stream. */
  void takeInto(ReceiveBuffer taken) {
    taken.take(buffers.removeFirst());
    served = true;
    if (limit > 0) {
      checkLimit();
    }
  }

  /** A stream waits for a buffer; it does not yet. */
  void addWaiter(Waiter stream) {
    waiting.addLast(stream);
  }

  /** A stream that has ended waits no longer. */
  void removeWaiter(Waiter stream) {
    waiting.remove(stream);
  }
}
