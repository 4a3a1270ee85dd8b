package org.rddp.ddp.receiving;

import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.segment.DdpError;

/**
 * A queue of Untagged Buffers: each is for the message whose MSN is its own (RFC 5041 section
 * 5.1.2).
 */
public final class UntaggedQueue {
  private final EntryRing<ReceiveBuffer> buffers;

  /** Where the buffers come from, each when its message does; null if they are posted here. */
  private final DdpSharedReceiveQueue shared;

  private int firstMsn;

  /** A buffer before all that are posted, for the first message; null as a rule. */
  private ReceiveBuffer initialBuffer;

  /**
   * An empty queue.
   *
   * @param depth the most buffers it holds
   * @param firstMsn the number of the first message
   */
  UntaggedQueue(int depth, int firstMsn) {
    this(depth, firstMsn, null);
  }

  /** The same; with the queue that the buffers come from, or null, and room for one then. */
  UntaggedQueue(int depth, int firstMsn, DdpSharedReceiveQueue shared) {
    this.firstMsn = firstMsn;
    this.shared = shared;
    buffers = new EntryRing<>(depth, ReceiveBuffer::new);
  }

  /** Adds a buffer; false if the queue is full, or has its buffers from elsewhere. */
  public boolean post(StreamRequest request) {
    if (shared != null || buffers.isFull()) {
      return false;
    }
    buffers.add().post(request.id(), request.message());
    return true;
  }

  /** Puts a buffer without octets before all others; nothing has been received yet. */
  public void expectFirst(long id) {
    initialBuffer = new ReceiveBuffer();
    initialBuffer.post(id, 0, 0);
  }

  private int initialBuffers() {
    return initialBuffer == null ? 0 : 1;
  }

  /** Whether no buffer waits for a message. */
  boolean isEmpty() {
    return buffers.isEmpty() && initialBuffer == null;
  }

  /** Whether the next message would find no buffer. */
  public boolean lacksBuffer() {
    return isEmpty() && (shared == null || shared.isEmpty());
  }

  /** Where the buffers come from, or null. */
  DdpSharedReceiveQueue shared() {
    return shared;
  }

  /** A segment has its turn: takes a buffer for it if it begins a message, and there is one. */
  void takeShared(int msn) {
    if (shared != null && isFirstWithoutBuffer(msn) && !shared.isEmpty()) {
      shared.takeInto(buffers.add());
    }
  }

  /** MSN of the first buffer: that of the next message to be Delivered. */
  int firstMsn() {
    return firstMsn;
  }

  /**
   * What is wrong with a Message Sequence Number, or null. It may be that of any posted buffer;
   * numbers compare modulo 2^32.
   */
  DdpError refusal(int msn) {
    int ahead = msn - firstMsn;
    if (ahead < 0) {
      return DdpError.MSN_RANGE;
    }
    return ahead < buffers.size() + initialBuffers() ? null : DdpError.NO_BUFFER;
  }

  /** Whether a message is the first that no buffer has been posted for, and one may still be. */
  boolean isFirstWithoutBuffer(int msn) {
    return msn - firstMsn == buffers.size() + initialBuffers() && !buffers.isFull();
  }

  /** The buffer for a message whose number {@link #refusal} has nothing against. */
  ReceiveBuffer buffer(int msn) {
    int index = msn - firstMsn - initialBuffers();
    return index < 0 ? initialBuffer : buffers.get(index);
  }

  /** Whether the first buffer holds its whole message. */
  boolean deliverable() {
    return !isEmpty() && (initialBuffer == null ? buffers.first() : initialBuffer).complete();
  }

  /** Takes the first buffer out. It stays as it is until the next one is posted. */
  ReceiveBuffer removeFirst() {
    firstMsn++;
    ReceiveBuffer first = initialBuffer;
    initialBuffer = null;
    return first == null ? buffers.removeFirst() : first;
  }
}
