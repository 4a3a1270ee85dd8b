package org.rddp.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Completion;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;

/** Short messages and writes over a connection, for one thread that blocks until each is done. */
public final class MessageChannel implements AutoCloseable {
  /** Octets of the longest message. */
  public static final int LONGEST = 1024;

  private static final int RECEIVES = 32;
  private static final int BATCH = 64;

  private final Rddp session;
  private final Connection connection;
  private final Duration timeout;
  private final MemoryRegion room;
  private final MemoryRegion outgoing;
  private final IdleStrategy idle = new BackoffIdleStrategy(100, 1000, 1_000, 100_000);
  private final ArrayDeque<byte[]> received = new ArrayDeque<>();
  private long outstanding;
  private int nextOutgoing;

  /**
   * A channel over a connection, which may still be waiting to be accepted.
   *
   * @param timeout for every step
   */
  public MessageChannel(Rddp session, Connection connection, Duration timeout) {
    this.session = session;
    this.connection = connection;
    this.timeout = timeout;
    room = session.allocate((long) RECEIVES * LONGEST, Access.LOCAL_WRITE);
    outgoing = session.allocate((long) RECEIVES * LONGEST);
    for (int i = 0; i < RECEIVES; i++) {
      connection.postReceive(i, room, (long) i * LONGEST, LONGEST);
    }
  }

  /** Sends a message of at most {@link #LONGEST} octets. */
  public void send(byte[] message) {
    long at = (long) nextOutgoing * LONGEST;
    nextOutgoing = (nextOutgoing + 1) % RECEIVES;
    // Half of the slots, so that no slot is used again before its send has completed.
    until(() -> outstanding < RECEIVES / 2, "earlier sends");
    MemorySegment.copy(message, 0, outgoing.segment(), ValueLayout.JAVA_BYTE, at, message.length);
    until(
        () -> connection.postSend(-1, outgoing, at, message.length, SendFlags.SIGNALLED),
        "room in the send queue");
    outstanding++;
  }

  /** Writes into the peer's memory. */
  public void write(MemoryRegion from, long offset, long length, int stag, long to) {
    until(() -> connection.postWrite(-1, from, offset, length, stag, to), "room in the send queue");
    outstanding++;
  }

  /** Waits until every send and write has completed. */
  public void flush() {
    until(() -> outstanding == 0, "sends and writes");
  }

  /**
   * Waits for the next message.
   *
   * @throws IllegalStateException when no message arrives in time, or the peer has closed
   */
  public byte[] receive() {
    until(() -> !received.isEmpty(), "the peer's message");
    return received.remove();
  }

  /** The next message if it has arrived, or null. */
  public byte[] poll() {
    session.poll(this::onCompletion, BATCH);
    return received.poll();
  }

  /** Whether the peer has closed and no message is left. */
  public boolean isOver() {
    return received.isEmpty() && (connection.isPeerClosed() || !connection.isOpen());
  }

  private void until(BooleanSupplier condition, String what) {
    long since = System.nanoTime();
    while (!condition.getAsBoolean()) {
      int work = session.poll(this::onCompletion, BATCH);
      if (work > 0) {
        since = System.nanoTime();
      } else if (connection.closeReason() != null) {
        throw new IllegalStateException(
            "the connection ended while waiting for "
                + what
                + ": "
                + connection.closeReason()
                + " "
                + connection.closeText());
      } else if (connection.isPeerClosed() && what.startsWith("the peer")) {
        throw new IllegalStateException("the peer closed the connection");
      } else if (System.nanoTime() - since > timeout.toNanos()) {
        throw new IllegalStateException(
            "nothing happened for " + timeout.toSeconds() + " s while waiting for " + what);
      }
      idle.idle(work);
    }
  }

  private void onCompletion(Completion completion) {
    if (completion.connection() != connection.id()) {
      return; // of an earlier connection
    }
    if (completion.opcode() != Opcode.RECEIVE) {
      outstanding -= completion.retired();
    } else if (completion.isSuccess()) {
      int slot = (int) completion.id();
      received.add(
          room.segment()
              .asSlice((long) slot * LONGEST, completion.octets())
              .toArray(ValueLayout.JAVA_BYTE));
      connection.postReceive(slot, room, (long) slot * LONGEST, LONGEST);
    }
  }

  /** Closes the connection, and frees the memory. */
  @Override
  public void close() {
    connection.close();
    while (session.poll(this::onCompletion, BATCH) > 0) {
      // Completions of flushed requests.
    }
    room.close();
    outgoing.close();
  }
}
