package org.rddp.ddp.receiving;

import java.util.function.LongPredicate;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.segment.DdpError;
import org.rddp.snapshot.Snapshot;

/** A queue of Untagged Buffers; each belongs to one message, by MSN (RFC 5041 section 5.1.2). */
public final class UntaggedQueue {
  /** Octets of heap for a buffer's placed ranges, in addition to those that every buffer takes. */
  public static final int OCTETS_OF_RANGES = 2 * Long.BYTES * PlacedRanges.MOST;

  private final EntryRing<ReceiveBuffer> buffers;

  /**
   * The shared queue that buffers are taken from when a message begins; null if they are posted
   * here.
   */
  private final DdpSharedReceiveQueue shared;

  private int firstMsn;

  /** Null until a receive is refused. */
  private RefusedReceives refused;

  /** A buffer before all posted ones, for the first message (an RTR); otherwise null. */
  private ReceiveBuffer initialBuffer;

  /**
   * Creates an empty queue.
   *
   * @param depth the most buffers
   * @param firstMsn the number of the first message
   */
  UntaggedQueue(int depth, int firstMsn) {
    this(depth, firstMsn, null, null);
  }

  /**
   * Creates an empty queue.
   *
   * @param shared the queue that the buffers come from, or null
   * @param memory the bound that counts the entries; null for none
   */
  UntaggedQueue(int depth, int firstMsn, DdpSharedReceiveQueue shared, QueueMemory memory) {
    this.firstMsn = firstMsn;
    this.shared = shared;
    buffers = new EntryRing<>(depth, ReceiveBuffer::new, ReceiveBuffer.OCTETS, memory);
  }

  /** Adds a buffer; false if the queue is full or shared. */
  public boolean post(StreamRequest request) {
    if (shared != null || buffers.isFull()) {
      return false;
    }
    buffers.add().post(request.token(), request.message());
    return true;
  }

  /** Puts a refused receive behind the posted buffers; false if the queue is shared. */
  boolean refuse(long token, int status) {
    if (shared != null) {
      return false;
    }
    if (refused == null) {
      refused = new RefusedReceives();
    }
    refused.add(nextMsn(), token, status);
    return true;
  }

  /** Reports the refused receives before which no buffer is left. */
  void reportRefused(int qn, ReceiveHandler user) {
    while (refused != null) {
      RefusedReceives.Refused due = refused.removeDue(firstMsn);
      if (due == null) {
        return;
      }
      user.onReceiveRefused(qn, due.token(), due.status());
    }
  }

  /** Revokes the memory of posted buffers, by their tokens. */
  void revoke(LongPredicate tokens) {
    for (int i = 0; i < buffers.size(); i++) {
      if (tokens.test(buffers.get(i).token())) {
        buffers.get(i).revoke();
      }
    }
  }

  /** Puts an empty buffer before all others. Call before anything is received. */
  public void expectFirst(long token) {
    initialBuffer = new ReceiveBuffer();
    initialBuffer.post(token, 0, 0);
  }

  /** Removes the buffer of {@link #expectFirst}, if nothing has come for it. */
  public void expectFirstNoMore() {
    initialBuffer = null;
  }

  /** Number of the message for which no buffer is posted. */
  private int nextMsn() {
    return firstMsn + buffers.size() + (initialBuffer == null ? 0 : 1);
  }

  /** Whether the queue has no buffer. */
  boolean isEmpty() {
    return buffers.isEmpty() && initialBuffer == null;
  }

  /** Whether there is no buffer for the next message. */
  public boolean lacksBuffer() {
    return isEmpty() && (shared == null || shared.isEmpty());
  }

  /** The shared queue that buffers are taken from, or null. */
  DdpSharedReceiveQueue shared() {
    return shared;
  }

  /** Takes a buffer from the shared queue, if that has one, for a segment that begins a message. */
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
   * The reason to refuse a Message Sequence Number, or null. It may be that of any posted buffer;
   * numbers are compared modulo 2^32.
   */
  DdpError refusal(int msn) {
    int ahead = msn - firstMsn; // DDP-4.3-08: "MUST wrap to 0 after a value of 0xFFFFFFFF"
    if (ahead < 0) {
      // DDP-5.3-05; DDP-7.1-09: "in the range of legal Message Sequence Numbers, for the queue
      // defined by the QN"
      return DdpError.MSN_RANGE;
    }
    // DDP-7.1-03, DDP-7.1-06; DDP-7.1-02: "The QN and MSN have an associated buffer that allows
    // Placement of the payload"
    return msn - nextMsn() < 0 ? null : DdpError.NO_BUFFER;
  }

  /** Whether a message is the first without a buffer, and the queue has room for its buffer. */
  boolean isFirstWithoutBuffer(int msn) {
    return msn == nextMsn() && !buffers.isFull();
  }

  /** The buffer for a message whose number {@link #refusal} accepts. */
  ReceiveBuffer buffer(int msn) {
    int index = msn - firstMsn - (initialBuffer == null ? 0 : 1);
    return index < 0 ? initialBuffer : buffers.get(index);
  }

  /** Whether the first buffer's message is complete. */
  boolean deliverable() {
    // DDP-5.4-02: "all of the DDP Segments of the DDP Message have been Placed"
    return !isEmpty() && (initialBuffer == null ? buffers.first() : initialBuffer).complete();
  }

  /**
   * Removes the first buffer and returns it. Its contents are kept until the next buffer is posted.
   */
  ReceiveBuffer removeFirst() {
    firstMsn++;
    ReceiveBuffer first = initialBuffer;
    initialBuffer = null;
    return first == null ? buffers.removeFirst() : first;
  }

  /** Transfers the buffers. */
  void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(UntaggedQueue.class);
    firstMsn = snapshot.number("firstMsn", firstMsn);
    buffers.transfer(snapshot, "buffers", each -> each.transfer(snapshot, references));
    if (snapshot.flag("refused", refused != null)) {
      refused = refused == null ? new RefusedReceives() : refused;
      refused.transfer(snapshot);
    }
    if (snapshot.flag("initialBuffer", initialBuffer != null)) {
      initialBuffer = initialBuffer == null ? new ReceiveBuffer() : initialBuffer;
      initialBuffer.transfer(snapshot, references);
    }
    snapshot.end();
  }
}
