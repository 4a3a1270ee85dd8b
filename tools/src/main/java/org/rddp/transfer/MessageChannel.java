package org.rddp.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;

/** Short messages and writes over a connection, for one thread that blocks until each is done. */
final class MessageChannel implements AutoCloseable {
  /** Octets of the longest message. */
  static final int LONGEST = 1024;

  /** Receives of a channel that does not share its session. */
  private static final int RECEIVES = 32;

  /** The longest wait for another thread's poll. */
  private static final long PAUSE_MILLIS = 10;

  private final SharedSession shared;
  private final boolean isShared;
  private final Connection connection;
  private final Duration timeout;
  private final int slots;
  private final MemoryRegion room;
  private final MemoryRegion outgoing;
  private final IdleStrategy idle = new BackoffIdleStrategy(100, 1000, 1_000, 100_000);
  private final ArrayDeque<byte[]> received = new ArrayDeque<>();

  /** Slots to be posted as receives. */
  private final ArrayDeque<Integer> free = new ArrayDeque<>();

  private long outstanding;
  private long completions;
  private int nextOutgoing;

  /**
   * A channel that polls its session itself.
   *
   * @param timeout for every step
   */
  MessageChannel(Rddp session, Connection connection, Duration timeout) {
    this(new SharedSession(session), false, connection, timeout, RECEIVES);
  }

  /**
   * A channel over a connection, which may still be waiting to be accepted, of a session that
   * another thread polls.
   *
   * @param timeout for every step
   * @param slots number of receives, and twice the number of sends under way
   */
  MessageChannel(SharedSession shared, Connection connection, Duration timeout, int slots) {
    this(shared, true, connection, timeout, slots);
  }

  private MessageChannel(
      SharedSession shared, boolean isShared, Connection connection, Duration timeout, int slots) {
    this.shared = shared;
    this.isShared = isShared;
    this.connection = connection;
    this.timeout = timeout;
    this.slots = slots;
    room = shared.session().allocate((long) slots * LONGEST, Access.LOCAL_WRITE);
    try {
      outgoing = shared.session().allocate((long) slots * LONGEST);
    } catch (RuntimeException e) {
      room.close();
      throw e;
    }
    for (int slot = 0; slot < slots; slot++) {
      free.add(slot);
    }
    shared.add(connection, this::onCompletion);
    synchronized (shared) {
      postReceives();
    }
  }

  /** Sends a message of at most {@link #LONGEST} octets. */
  void send(byte[] message) {
    long at = (long) nextOutgoing * LONGEST;
    nextOutgoing = (nextOutgoing + 1) % slots;
    // Half of the slots, so that no slot is used again before its send has completed.
    until(() -> outstanding < slots / 2, "earlier sends");
    MemorySegment.copy(message, 0, outgoing.segment(), ValueLayout.JAVA_BYTE, at, message.length);
    until(
        () -> counted(connection.postSend(-1, outgoing, at, message.length, SendFlags.SIGNALLED)),
        "room in the send queue");
  }

  /** Writes into the peer's memory. */
  void write(MemoryRegion from, long offset, long length, int stag, long to) {
    until(
        () -> counted(connection.postWrite(-1, from, offset, length, stag, to)),
        "room in the send queue");
  }

  private boolean counted(boolean posted) {
    if (posted) {
      outstanding++;
    }
    return posted;
  }

  /** Waits until every send and write has completed. */
  void flush() {
    until(() -> outstanding == 0, "sends and writes");
  }

  /**
   * Waits for the next message.
   *
   * @throws IllegalStateException when no message arrives in time, or the peer has closed
   */
  byte[] receive() {
    until(() -> !received.isEmpty(), "the peer's message");
    synchronized (shared) {
      return received.remove();
    }
  }

  /**
   * Waits until the peer has closed.
   *
   * @throws IllegalStateException when it does not close in time
   */
  void awaitEnd() {
    until(() -> connection.isPeerClosed() || !connection.isOpen(), "the end of the connection");
  }

  private void until(BooleanSupplier condition, String what) {
    synchronized (shared) {
      long since = System.nanoTime();
      long before = completions;
      while (!condition.getAsBoolean()) {
        // Read before the poll, which then finds everything that the peer sent before it closed.
        boolean peerClosed = connection.isPeerClosed();
        int work = shared.poll();
        postReceives();
        if (completions != before) {
          before = completions;
          since = System.nanoTime();
        } else if (work == 0) {
          checkGoesOn(peerClosed, System.nanoTime() - since, what);
        }
        pause(work);
      }
    }
  }

  private void checkGoesOn(boolean peerClosed, long nanos, String what) {
    if (connection.closeReason() != null) {
      throw new IllegalStateException(
          "the connection ended while waiting for "
              + what
              + ": "
              + connection.closeReason()
              + " "
              + connection.closeText());
    } else if (peerClosed && what.startsWith("the peer")) {
      throw new IllegalStateException("the peer closed the connection");
    } else if (nanos > timeout.toNanos()) {
      throw new IllegalStateException(
          "nothing happened for " + timeout.toSeconds() + " s while waiting for " + what);
    }
  }

  private void pause(int work) {
    if (!isShared) {
      idle.idle(work);
    } else if (work == 0) {
      try {
        shared.wait(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  private void onCompletion(Completion completion) {
    completions++;
    if (completion.opcode() != Opcode.RECEIVE) {
      outstanding -= completion.retired();
    } else if (completion.isSuccess()) {
      int slot = (int) completion.id();
      received.add(
          room.segment()
              .asSlice((long) slot * LONGEST, completion.octets())
              .toArray(ValueLayout.JAVA_BYTE));
      free.add(slot);
      postReceives();
    }
  }

  private void postReceives() {
    while (!free.isEmpty()
        && connection.postReceive(free.element(), room, (long) free.element() * LONGEST, LONGEST)) {
      free.remove();
    }
  }

  /** Closes the connection, and frees the memory. */
  @Override
  public void close() {
    connection.close();
    shared.remove(connection);
    room.close();
    outgoing.close();
  }
}
