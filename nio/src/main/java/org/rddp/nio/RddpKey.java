package org.rddp.nio;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;
import org.rddp.client.streams.ProgramStream;

/**
 * The registration of a channel. What the selecting thread keeps of it is used under the selector's
 * lock only.
 */
final class RddpKey extends AbstractSelectionKey {
  /** Fewest looks in vain after which a channel is left to its descriptor. */
  private static final int FEWEST_LOOKS = 64;

  /** Looks in vain of a channel that is looked at alone: some ms of selections in a row. */
  private static final int LOOKS = 16_384;

  private final RddpSelector selector;
  private final SelectableChannel channel;

  /** Null: a channel of the JDK's own. */
  private final RddpChannel own;

  private final AtomicBoolean changed = new AtomicBoolean();
  private volatile int interest;
  private volatile int ready;

  /** The next in the selector's list of changed ones; see {@link RddpSelector#change}. */
  RddpKey next;

  // ---- Of the selecting thread ----

  /** In the selector's table of those whose descriptors it watches, or -1. */
  int token = -1;

  /** In its list of those that are looked at, or -1. */
  int place = -1;

  /** Among the selected keys, or -1. */
  int selected = -1;

  /** How often in a row it was looked at and not ready. */
  int idle;

  /** What the JDK's selector has found ready. */
  private int kernelReady;

  private volatile SelectionKey kernelKey;
  private Shared<?> watched;

  /** The stream of which the selector's waiter is told; null: none. */
  private ProgramStream told;

  RddpKey(RddpSelector selector, SelectableChannel channel) {
    this.selector = selector;
    this.channel = channel;
    own = channel instanceof RddpChannel rddp ? rddp : null;
    if (own != null) {
      own.keys().add(this);
    }
  }

  @Override
  public SelectableChannel channel() {
    return channel;
  }

  @Override
  public Selector selector() {
    return selector;
  }

  private void ensureValid() {
    if (!isValid()) {
      throw new CancelledKeyException();
    }
  }

  @Override
  public int interestOps() {
    ensureValid();
    return interest;
  }

  @Override
  public SelectionKey interestOps(int operations) {
    set(operations);
    return this;
  }

  @Override
  public synchronized int interestOpsOr(int operations) {
    return set(interest | operations);
  }

  @Override
  public synchronized int interestOpsAnd(int operations) {
    return set(interest & operations);
  }

  private synchronized int set(int operations) {
    ensureValid();
    if ((operations & ~channel.validOps()) != 0) {
      throw new IllegalArgumentException("operations " + operations + " of " + channel);
    }
    int before = interest;
    if (operations != before) {
      interest = operations;
      selector.change(this);
    }
    return before;
  }

  @Override
  public int readyOps() {
    ensureValid();
    return ready;
  }

  int ready() {
    return ready;
  }

  void ready(int operations) {
    ready = operations;
  }

  /** The channel has done something that a selector has to see now. */
  void change() {
    selector.changeNow(this);
  }

  /** Returns whether it is to be put into the list of changed ones. */
  boolean markChanged() {
    return changed.compareAndSet(false, true);
  }

  void clearChanged() {
    changed.set(false);
  }

  /**
   * Cancels the key of the JDK's selector, if this one is cancelled: a channel with a valid key
   * cannot be made blocking. The next selection forgets both.
   */
  void release() {
    SelectionKey inner = kernelKey;
    if (inner != null && !isValid()) {
      inner.cancel();
    }
  }

  // ---- Of the selecting thread ----

  /** Begins to watch the parts that the channel has now. */
  void watch(RddpSelector by) throws IOException {
    Shared<?> part = own == null ? null : own.rddpPart();
    if (part != watched) {
      unwatch(by);
      Object object = part == null ? null : part.acquire();
      if (object != null) {
        ProgramStream stream = object instanceof ProgramStream known ? known : null;
        try {
          told = by.add(this, part.descriptor(), stream) ? stream : null;
          watched = part;
        } finally {
          if (watched == null) {
            part.release();
          }
        }
      }
    }
    SelectableChannel kernelPart = own == null ? channel : own.kernelPart();
    if (kernelPart == null) {
      return;
    }
    if (kernelKey == null) {
      kernelKey = by.register(kernelPart, interest, this);
    } else {
      kernelKey.interestOps(interest);
    }
  }

  private void unwatch(RddpSelector by) {
    if (told != null) {
      told.tellNobody();
      told = null;
    }
    if (watched != null) {
      by.remove(this, watched.descriptor());
      watched.release();
      watched = null;
    }
  }

  /** Ends watching. Returns whether the JDK's selector has to forget a key. */
  boolean forget(RddpSelector by) {
    unwatch(by);
    if (own != null) {
      own.keys().remove(this);
    }
    if (kernelKey == null) {
      return false;
    }
    kernelKey.cancel();
    kernelKey = null;
    return true;
  }

  /**
   * Looks in vain after which it is armed: fewer, the more channels are looked at. One who selects
   * without waiting does that often, and an armed channel takes system calls at both ends, unless a
   * waiter is told. A look at a listener is a system call.
   */
  int mostLooks(int channels) {
    return own instanceof RddpSocketChannel && told == null
        ? Math.max(FEWEST_LOOKS, LOOKS / channels)
        : 1;
  }

  /** Its descriptor is ready: of a stream that a waiter is told of, since the daemon has ended. */
  void onEvent() {
    if (told != null) {
      told.lookForEnd();
    }
  }

  boolean hasKernelPart() {
    return kernelKey != null;
  }

  /** Whether it has to be looked at again and again. */
  boolean isRddps() {
    return watched != null;
  }

  void addKernelReady(int operations) {
    kernelReady |= operations;
  }

  /** Operations of interest that are ready. */
  int takeReady() {
    int found = kernelReady;
    kernelReady = 0;
    if (watched != null) {
      found |= own.readyOperations(interest);
    }
    return found & interest;
  }

  /** Whether an operation of interest is ready on rddp. */
  boolean isReady() {
    return watched != null && own.readyOperations(interest) != 0;
  }

  /** Asks for an event. Returns false if an operation is ready already. */
  boolean arm() {
    if (watched == null) {
      return true;
    }
    own.arm(interest, told != null);
    return own.readyOperations(interest) == 0;
  }
}
