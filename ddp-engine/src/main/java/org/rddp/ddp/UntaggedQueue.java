package org.rddp.ddp;

/**
 * A queue of Untagged Buffers: each is for the message whose MSN is its own (RFC 5041 section
 * 5.1.2).
 */
final class UntaggedQueue {
  private final Ring<ReceiveBuffer> buffers;

  /** Where the buffers come from, each when its message does; null if they are posted here. */
  private final SharedReceiveQueue shared;

  private int firstMsn;

  /** A buffer before all that are posted, for the first message; null as a rule. */
  private ReceiveBuffer opener;

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
  UntaggedQueue(int depth, int firstMsn, SharedReceiveQueue shared) {
    this.firstMsn = firstMsn;
    this.shared = shared;
    buffers = new Ring<>(depth, ReceiveBuffer::new);
  }

  /** Adds a buffer; false if the queue is full, or has its buffers from elsewhere. */
  boolean post(long id, long address, long length) {
    if (shared != null || buffers.isFull()) {
      return false;
    }
    buffers.add().post(id, address, length);
    return true;
  }

  /** Puts a buffer without octets before all others; nothing has been received yet. */
  void expectFirst(long id) {
    opener = new ReceiveBuffer();
    opener.post(id, 0, 0);
  }

  private int openers() {
    return opener == null ? 0 : 1;
  }

  /** Adds a buffer in pieces; false if the queue is full. */
  boolean post(long id, ScatterList list) {
    if (shared != null || buffers.isFull()) {
      return false;
    }
    buffers.add().post(id, list);
    return true;
  }

  /** Whether no buffer waits for a message. */
  boolean isEmpty() {
    return buffers.isEmpty() && opener == null;
  }

  /** Whether the next message would find no buffer. */
  boolean lacksBuffer() {
    return isEmpty() && (shared == null || shared.isEmpty());
  }

  /** Where the buffers come from, or null. */
  SharedReceiveQueue shared() {
    return shared;
  }

  /** A segment has its turn: takes a buffer for it if it begins a message, and there is one. */
  void draw(int msn) {
    if (shared != null && awaits(msn) && !shared.isEmpty()) {
      shared.drawInto(buffers.add());
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
    return ahead < buffers.size() + openers() ? null : DdpError.NO_BUFFER;
  }

  /** Whether a message is the first that no buffer has been posted for, and one may still be. */
  boolean awaits(int msn) {
    return msn - firstMsn == buffers.size() + openers() && !buffers.isFull();
  }

  /** The buffer for a message whose number {@link #refusal} has nothing against. */
  ReceiveBuffer buffer(int msn) {
    int index = msn - firstMsn - openers();
    return index < 0 ? opener : buffers.get(index);
  }

  /** Whether the first buffer holds its whole message. */
  boolean deliverable() {
    return !isEmpty() && (opener == null ? buffers.first() : opener).complete();
  }

  /** Takes the first buffer out. It stays as it is until the next one is posted. */
  ReceiveBuffer removeFirst() {
    firstMsn++;
    ReceiveBuffer first = opener;
    opener = null;
    return first == null ? buffers.removeFirst() : first;
  }
}
