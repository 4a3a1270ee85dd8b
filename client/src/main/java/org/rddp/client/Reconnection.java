package org.rddp.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.rddp.client.types.Reason;

/**
 * Moves a session from one daemon to the next, for the program's {@link Reconnect}. For the thread
 * that polls.
 */
final class Reconnection {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Rddp session;
  private final Reconnect program;
  private boolean lost;
  private long lostAt;
  private long nextAttempt;
  private SessionLostException givenUp;

  Reconnection(Rddp session, Reconnect program) {
    this.session = session;
    this.program = program;
  }

  /**
   * Tells the program about the loss, once, and tries to restore the session if it is time for
   * that.
   *
   * @return nanoseconds until the next attempt; 0 if the session is restored
   * @throws SessionLostException if no daemon has answered in time, or none will
   */
  long proceed() {
    if (givenUp != null) {
      throw new SessionLostException(givenUp.getMessage(), givenUp);
    }
    if (!lost) {
      LostSession what = session.daemon().takeLoss();
      lost = true;
      lostAt = System.nanoTime();
      nextAttempt = lostAt;
      program.onLost(what);
    }
    long wait = nextAttempt - System.nanoTime();
    if (wait > 0) {
      return wait;
    }
    try {
      session.daemon().restore();
    } catch (RddpException notYet) {
      failed(notYet);
      return RETRY_NANOS;
    }
    lost = false;
    try {
      program.onRestored(session);
    } catch (SessionLostException again) {
      // The next call reports the loss to the program.
    }
    return 0;
  }

  private void failed(RddpException why) {
    nextAttempt = System.nanoTime() + RETRY_NANOS;
    Duration timeout = TimedWait.bounded(program.timeout());
    String problem = why.getMessage();
    if (why.getCause() instanceof RefusedException refused && refused.reason() == Reason.VERSION) {
      giveUp("the session cannot be restored: " + problem, why);
    } else if (System.nanoTime() - lostAt > timeout.toNanos()) {
      giveUp("the session has not been restored for " + timeout + ": " + problem, why);
    }
  }

  private void giveUp(String message, RddpException why) {
    givenUp = new SessionLostException(message, why);
    throw givenUp;
  }
}
