package org.rddp.daemon.control;

import java.util.HashMap;
import java.util.Map;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.EventSet;
import org.rddp.ipc.linux.SystemCallException;

/**
 * The daemon's ends of listeners' and waiters' sockets: ends what nobody holds any more. Control
 * thread only, except where a method says more.
 */
final class WatchedSockets implements AutoCloseable {
  private final EventSet events;

  /** What ends each of them, by number. */
  private final Map<Integer, Runnable> whenLeft = new HashMap<>();

  /** Whether {@link #endLeft} is under way. */
  private volatile boolean endingLeft;

  WatchedSockets() throws SystemCallException {
    events = EventSet.create();
  }

  /** Readable when {@link #endLeft} has something to do. */
  Descriptor descriptor() {
    return events.descriptor();
  }

  /**
   * Ends something when nobody holds the program's end of its socket any more, until {@link
   * #remove}.
   *
   * @param number of the listener or waiter
   * @param socket the daemon's end
   */
  void add(int number, Descriptor socket, Runnable end) throws SystemCallException {
    events.add(socket, EventSet.PEER_ENDED, number);
    whenLeft.put(number, end);
  }

  void remove(int number) {
    whenLeft.remove(number);
  }

  /** Ends the listeners and waiters that nobody holds any more. */
  void endLeft() {
    endingLeft = true;
    try {
      int ready;
      do {
        ready = events.poll();
        for (int i = 0; i < ready; i++) {
          Runnable end = whenLeft.get((int) events.token(i));
          if (end != null) {
            end.run();
          }
        }
      } while (ready == EventSet.MOST);
    } finally {
      endingLeft = false;
    }
  }

  /**
   * Whether {@link #endLeft} may have something to end: a program that has closed a listener must
   * not reach it any more. Any thread.
   */
  boolean mayEndLeft() {
    return events.hasEvents() || endingLeft;
  }

  @Override
  public void close() {
    events.close();
  }
}
