package org.rddp.ddp.receiving;

import java.util.List;
import org.rddp.ddp.segment.MessageSequence;

/** The queues that a stream's peer sends Untagged Messages to, by Queue Number from 0 up. */
public final class UntaggedQueues {
  /** Each Queue Number has its queue in one of the two, and null in the other. */
  private final UntaggedQueue[] buffered;

  private final InPlaceQueue[] inPlace;

  public UntaggedQueues(List<QueueSettings> settings) {
    buffered = new UntaggedQueue[settings.size()];
    inPlace = new InPlaceQueue[settings.size()];
    for (int qn = 0; qn < buffered.length; qn++) {
      QueueSettings queue = settings.get(qn);
      if (queue.limit() == 0) {
        buffered[qn] = new UntaggedQueue(queue.depth(), MessageSequence.FIRST, queue.shared());
      } else {
        inPlace[qn] = new InPlaceQueue(queue.depth(), queue.limit(), MessageSequence.FIRST);
      }
    }
  }

  /** Whether there is a queue of that number, which is unsigned. */
  boolean has(int qn) {
    return Integer.compareUnsigned(qn, buffered.length) < 0;
  }

  /** A queue of buffers that the user posts; null if that number is one of the others. */
  public UntaggedQueue buffered(int qn) {
    return buffered[qn];
  }

  /** A queue whose messages are read in place; null if that number is one of the others. */
  public InPlaceQueue inPlace(int qn) {
    return inPlace[qn];
  }

  /** A stream waits for buffers: those that are shared go to it in its turn. */
  void addWaiter(DdpSharedReceiveQueue.Waiter stream) {
    for (UntaggedQueue queue : buffered) {
      if (queue != null && queue.shared() != null) {
        queue.shared().addWaiter(stream);
      }
    }
  }

  /** The stream has ended. */
  public void removeWaiter(DdpSharedReceiveQueue.Waiter stream) {
    for (UntaggedQueue queue : buffered) {
      if (queue != null && queue.shared() != null) {
        queue.shared().removeWaiter(stream);
      }
    }
  }

  /** Gives every buffer back to the user. */
  public void flush(ReceiveHandler user) {
    for (int qn = 0; qn < buffered.length; qn++) {
      while (buffered[qn] != null && !buffered[qn].isEmpty()) {
        ReceiveBuffer buffer = buffered[qn].removeFirst();
        if (buffer.tooShort()) {
          user.onReceiveTooShort(qn, buffer.id());
        } else {
          user.onReceiveFlushed(qn, buffer.id());
        }
      }
    }
  }
}
