package org.rddp.soak;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.rddp.client.Completion;
import org.rddp.client.CompletionHandler;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;

/** One end of a connection between two programs of the soak, which exchange words. One thread. */
final class SoakExchange implements CompletionHandler, AutoCloseable {
  /** Time for every step in ns; the other program may be stopped for a while. */
  private static final long TIMEOUT = Duration.ofSeconds(20).toNanos();

  private static final long REST = Duration.ofNanos(200_000).toNanos();
  private static final int BATCH = 64;
  private static final int WORD = Long.BYTES;

  private final Rddp session;
  private final Connection connection;
  private final MemoryRegion words;
  private final IdleStrategy idle = new SleepingIdleStrategy(REST);
  private long received;
  private long completed;
  private Completion failed;

  /** Posts receives for a number of words. */
  SoakExchange(Rddp session, Connection connection, int receives) {
    this.session = session;
    this.connection = connection;
    words = session.allocate((long) receives * WORD, Access.LOCAL_WRITE);
    for (int i = 0; i < receives; i++) {
      if (!connection.postReceive(i, words, (long) i * WORD, WORD)) {
        throw new IllegalStateException("no room for a receive");
      }
    }
  }

  /**
   * Polls until the condition holds.
   *
   * @throws IllegalStateException if the connection ends, or a request fails, or nothing happens
   */
  void until(BooleanSupplier condition) {
    long since = System.nanoTime();
    while (!condition.getAsBoolean()) {
      int work = session.poll(this, BATCH);
      if (failed != null) {
        throw new IllegalStateException(
            Opcode.name(failed.opcode()) + " ended with " + failed.status());
      }
      if (work == 0 && !connection.isOpen()) {
        throw new IllegalStateException("the connection has ended: " + connection.closeReason());
      }
      if (work > 0) {
        since = System.nanoTime();
      } else if (System.nanoTime() - since > TIMEOUT) {
        throw new IllegalStateException("nothing happened for too long");
      }
      idle.idle(work);
    }
  }

  /** Sends a word. */
  void send(long word) {
    MemorySegment message = MemorySegment.ofArray(new long[] {word});
    until(() -> connection.postInlineSend(-1, message, 0, WORD, SendFlags.SIGNALLED));
  }

  /** Waits for the peer's next word, the first of which has number 0. */
  long await(int number) {
    until(() -> received > number);
    return words.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, (long) number * WORD);
  }

  /** Requests other than receives that have completed. */
  long completed() {
    return completed;
  }

  /** The connection. */
  Connection connection() {
    return connection;
  }

  @Override
  public void onCompletion(Completion completion) {
    if (completion.connectionId() != connection.id()) {
      // Of an earlier connection, which has ended.
      return;
    }
    if (!completion.isSuccess()) {
      failed = completion;
    } else if (completion.opcode() == Opcode.RECEIVE) {
      received++;
    } else {
      completed += completion.retired();
    }
  }

  @Override
  public void close() {
    connection.close();
    words.close();
  }
}
