package org.rddp.demo;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.rddp.client.Completion;
import org.rddp.client.CompletionHandler;
import org.rddp.client.Connection;
import org.rddp.client.Rddp;
import org.rddp.client.types.Opcode;

/**
 * Polls a session until a condition holds, or for too long. It backs off, so that the engine gets a
 * core where there are few.
 */
public final class Poller implements CompletionHandler {
  private static final int BATCH = 64;
  private static final Duration END = Duration.ofSeconds(2);

  private final Rddp session;
  private final long timeoutNanos;
  private final IdleStrategy idle = new BackoffIdleStrategy(10, 1000, 1_000, 100_000);
  private long completed;
  private long received;

  /** Creates a poller that gives up when nothing completes within the timeout. */
  public Poller(Rddp session, Duration timeout) {
    this.session = session;
    this.timeoutNanos = timeout.toNanos();
  }

  /**
   * Polls until the condition holds.
   *
   * @param what is awaited, for messages
   * @throws IllegalStateException when nothing completes for too long, or a request fails
   */
  public void until(BooleanSupplier condition, String what) {
    long since = System.nanoTime();
    while (!condition.getAsBoolean()) {
      int work = session.poll(this, BATCH);
      if (work > 0) {
        since = System.nanoTime();
      } else if (System.nanoTime() - since > timeoutNanos) {
        throw new IllegalStateException("nothing happened for too long while waiting for " + what);
      }
      idle.idle(work);
    }
  }

  /** Why the completion's connection has ended, which is known only some time later. */
  private static String reason(Completion completion) {
    Connection connection = completion.connection();
    if (connection == null || !connection.awaitClosed(END)) {
      return "";
    }
    return ("; the connection has ended: "
            + connection.closeReason()
            + " "
            + connection.closeText())
        .stripTrailing();
  }

  /** Completed sends and writes, including unsignalled ones. */
  public long completed() {
    return completed;
  }

  /** Messages received. */
  public long received() {
    return received;
  }

  @Override
  public void onCompletion(Completion completion) {
    if (!completion.isSuccess()) {
      throw new IllegalStateException("a request failed: " + completion + reason(completion));
    }
    if (completion.opcode() == Opcode.RECEIVE) {
      received++;
    } else {
      completed += completion.retired();
    }
  }
}
