package org.rddp.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventSet;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCallException;

/** A virtual thread that parks. One platform thread polls the descriptors of all of them. */
final class VirtualWaiter extends Waiter {
  /** Waiting threads, by the token of their event. */
  private static final Map<Long, Thread> WAITING = new ConcurrentHashMap<>();

  private static final AtomicLong LAST_TOKEN = new AtomicLong();

  private final Thread thread;

  VirtualWaiter(Thread thread) {
    this.thread = thread;
  }

  /** A descriptor may have one thread that receives and one that sends: each has a set. */
  private static final class Sets {
    static final EventSet RECEIVING = create();
    static final EventSet SENDING = create();

    static {
      Thread.ofPlatform().daemon().name("rddp-nio-poller").start(Sets::run);
    }

    private static EventSet create() {
      try {
        return EventSet.create();
      } catch (SystemCallException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void run() {
      PollSet poll = new PollSet();
      poll.add(RECEIVING.descriptor());
      poll.add(SENDING.descriptor());
      while (true) {
        try {
          poll.await(-1);
        } catch (SystemCallException e) {
          throw new UncheckedIOException(e);
        }
        unparkAll(RECEIVING);
        unparkAll(SENDING);
      }
    }

    private static void unparkAll(EventSet set) {
      int events = set.poll();
      for (int i = 0; i < events; i++) {
        LockSupport.unpark(WAITING.get(set.token(i)));
      }
    }
  }

  @Override
  void await(Descriptor descriptor, Event event, long nanos) throws IOException {
    EventSet set = event == Event.IN ? Sets.RECEIVING : Sets.SENDING;
    long token = LAST_TOKEN.incrementAndGet();
    WAITING.put(token, thread);
    try {
      set.add(descriptor, event == Event.IN ? EventSet.IN : EventSet.OUT, token);
      LockSupport.parkNanos(this, Math.min(nanos, LONGEST));
    } finally {
      set.remove(descriptor);
      WAITING.remove(token);
    }
  }

  @Override
  void wake() {
    LockSupport.unpark(thread);
  }
}
