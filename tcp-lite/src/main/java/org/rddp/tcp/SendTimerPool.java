package org.rddp.tcp;

import java.util.Arrays;

/**
 * The {@link SendTimer}s that no connection of a stack uses at the moment: only connections that
 * wait for an answer have one, and none is made anew while some are left.
 */
final class SendTimerPool {
  private SendTimer[] free = new SendTimer[4];
  private int count;

  /** A timer of that connection that waits for nothing. */
  SendTimer acquire(TcpConnection connection) {
    SendTimer taken = count == 0 ? new SendTimer() : free[--count];
    taken.begin(connection);
    return taken;
  }

  /** Takes a timer back; it is to be used no more. */
  void release(SendTimer timer) {
    timer.begin(null);
    if (count == free.length) {
      free = Arrays.copyOf(free, 2 * count);
    }
    free[count++] = timer;
  }
}
