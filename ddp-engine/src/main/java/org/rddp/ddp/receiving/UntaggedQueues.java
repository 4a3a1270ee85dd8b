package org.rddp.ddp.receiving;

import java.util.List;
import java.util.function.LongPredicate;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.ddp.segment.MessageSequence;
import org.rddp.snapshot.Snapshot;

/** A stream's queues for the peer's Untagged Messages, by Queue Number from 0 on. */
public final class UntaggedQueues {
  /** Each Queue Number has an entry in one of the two arrays, and null in the other. */
  private final UntaggedQueue[] buffered;

  private final InPlaceQueue[] inPlace;
  private final QueueMemory memory;

  /**
   * Creates empty queues.
   *
   * @param memory the bound that counts the entries of posted buffers; null for none
   */
  public UntaggedQueues(List<QueueSettings> settings, QueueMemory memory) {
    this.memory = memory;
    buffered = new UntaggedQueue[settings.size()];
    inPlace = new InPlaceQueue[settings.size()];
    for (int qn = 0; qn < buffered.length; qn++) {
      QueueSettings queue = settings.get(qn);
      if (queue.limit() == 0) {
        buffered[qn] =
            new UntaggedQueue(queue.depth(), MessageSequence.FIRST, queue.shared(), memory);
      } else {
        inPlace[qn] = new InPlaceQueue(queue.depth(), queue.limit(), MessageSequence.FIRST);
      }
    }
  }

  /** Whether a queue with that Queue Number, an unsigned number, exists. */
  boolean has(int qn) {
    return Integer.compareUnsigned(qn, buffered.length) < 0;
  }

  /** The queue of posted buffers with that Queue Number; null if its messages are read in place. */
  public UntaggedQueue buffered(int qn) {
    return buffered[qn];
  }

  /** The queue read in place with that Queue Number; null if it has posted buffers. */
  public InPlaceQueue inPlace(int qn) {
    return inPlace[qn];
  }

  /**
   * Makes a queue take its buffers from a shared one. Call before anything is posted or received.
   */
  public void share(int qn, DdpSharedReceiveQueue from) {
    QueueSettings queue = QueueSettings.shared(from);
    buffered[qn] = new UntaggedQueue(queue.depth(), MessageSequence.FIRST, queue.shared(), memory);
  }

  /** Registers a stream that waits for buffers with its shared queues. */
  void addWaiter(DdpSharedReceiveQueue.Waiter stream) {
    for (UntaggedQueue queue : buffered) {
      if (queue != null && queue.shared() != null) {
        queue.shared().addWaiter(stream);
      }
    }
  }

  /** Removes a stream that has ended from its shared queues. */
  public void removeWaiter(DdpSharedReceiveQueue.Waiter stream) {
    for (UntaggedQueue queue : buffered) {
      if (queue != null && queue.shared() != null) {
        queue.shared().removeWaiter(stream);
      }
    }
  }

  /** Revokes the memory of posted buffers, by their tokens. */
  public void revoke(LongPredicate tokens) {
    for (UntaggedQueue queue : buffered) {
      if (queue != null) {
        queue.revoke(tokens);
      }
    }
  }

  /**
   * Puts a refused receive into a queue of posted buffers; reports it at once if it is the first.
   *
   * @return false, and nothing happens, if the queue is shared
   */
  public boolean refuse(int qn, long token, int status, ReceiveHandler user) {
    boolean refused = buffered[qn].refuse(token, status);
    buffered[qn].reportRefused(qn, user);
    return refused;
  }

  /** Returns all buffers to the user. */
  public void flush(ReceiveHandler user) {
    for (int qn = 0; qn < buffered.length; qn++) {
      if (buffered[qn] != null) {
        buffered[qn].reportRefused(qn, user);
      }
      while (buffered[qn] != null && !buffered[qn].isEmpty()) {
        ReceiveBuffer buffer = buffered[qn].removeFirst();
        if (buffer.tooShort() && buffer.revoked()) {
          user.onReceiveRevoked(qn, buffer.token());
        } else if (buffer.tooShort()) {
          user.onReceiveTooShort(qn, buffer.token());
        } else {
          user.onReceiveFlushed(qn, buffer.token());
        }
        buffered[qn].reportRefused(qn, user);
      }
    }
  }

  /** Transfers the queues. */
  public void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(UntaggedQueues.class);
    int queues = snapshot.number("queues", buffered.length);
    for (int qn = 0; qn < buffered.length; qn++) {
      boolean isBuffered = snapshot.flag("buffered", buffered[qn] != null);
      if (queues != buffered.length || isBuffered != (buffered[qn] != null)) {
        throw snapshot.wrong("the stream has other queues");
      }
      if (isBuffered) {
        buffered[qn].transfer(snapshot, references);
      } else {
        inPlace[qn].transfer(snapshot);
      }
    }
    snapshot.end();
  }
}
