package org.rddp.ddp;

/**
 * A queue of Untagged Buffers: each is for the message whose MSN is its own (RFC 5041 section
 * 5.1.2).
 */
final class UntaggedQueue {
  private final Ring<ReceiveBuffer> buffers;
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
    this.firstMsn = firstMsn;
    buffers = new Ring<>(depth, ReceiveBuffer::new);
  }

  /** Adds a buffer; false if the queue is full. */
  boolean post(long id, long address, long length) {
    if (buffers.isFull()) {
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
    if (buffers.isFull()) {
      return false;
    }
    buffers.add().post(id, list);
    return true;
  }

  /** Whether no buffer waits for a message. */
  boolean isEmpty() {
    return buffers.isEmpty() && opener == null;
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
