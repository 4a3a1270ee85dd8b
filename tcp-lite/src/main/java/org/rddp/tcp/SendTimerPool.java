package org.rddp.tcp;

import java.util.Arrays;

/** The unused {@link SendTimer}s of a stack. */
final class SendTimerPool {
  private SendTimer[] free = new SendTimer[4];
  private int count;

  /** Takes a stopped timer for a connection. */
  SendTimer acquire(TcpConnection connection) {
    SendTimer taken = count == 0 ? new SendTimer() : free[--count];
    taken.begin(connection);
    return taken;
  }

  /** Takes a timer back, which the caller must not use again. */
  void release(SendTimer timer) {
    timer.begin(null);
    if (count == free.length) {
      free = Arrays.copyOf(free, 2 * count);
    }
    free[count++] = timer;
  }
}
