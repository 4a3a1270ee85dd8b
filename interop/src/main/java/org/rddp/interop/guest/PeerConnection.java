package org.rddp.interop.guest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.Access;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;

/** A connection of a {@link HostProgram}, whose methods block until they are done. */
public final class PeerConnection {
  private static final int RECEIVES = 16;
  private static final Duration END_TIMEOUT = Duration.ofSeconds(60);

  private final HostProgram program;
  private final Connection connection;
  private final int room;
  private final MemoryRegion incoming;
  private final MemoryRegion outgoing;
  private final ArrayDeque<byte[]> received = new ArrayDeque<>();
  private int outstanding;
  private CompletionStatus failure;

  /**
   * Wraps a connection, which may not have been accepted yet.
   *
   * @param room octets of the longest message in either direction
   */
  public PeerConnection(HostProgram program, Connection connection, int room) {
    this.program = program;
    this.connection = connection;
    this.room = room;
    incoming = program.allocate((long) RECEIVES * room, Access.LOCAL_WRITE);
    outgoing = program.allocate(room);
    for (int i = 0; i < RECEIVES; i++) {
      postReceive(i);
    }
  }

  private void postReceive(int slot) {
    if (!connection.postReceive(slot, incoming, (long) slot * room, room)) {
      throw new IllegalStateException("no room for a receive: open fewer connections at a time");
    }
  }

  public Connection connection() {
    return connection;
  }

  /** Sends a message, and waits for its completion. */
  public void send(byte[] message) {
    MemorySegment.copy(message, 0, outgoing.segment(), ValueLayout.JAVA_BYTE, 0, message.length);
    begin(connection.postSend(0, outgoing, 0, message.length));
    finish("room for a message");
  }

  /** Waits for the next message. */
  public byte[] receive() {
    program.until(() -> !received.isEmpty(), this, "message");
    return received.remove();
  }

  /** Waits for the next message, which must have a length. */
  public byte[] receive(int length) {
    byte[] message = receive();
    if (message.length != length) {
      throw new IllegalStateException(
          "a message of " + message.length + " octets, where " + length + " were expected");
    }
    return message;
  }

  /** Writes into the peer's memory, and waits for the completion. */
  public void write(MemoryRegion from, long length, RemoteBuffer to) {
    beginWrite(from, length, to);
    finish("room for a write");
  }

  /** Writes into the peer's memory, without waiting. */
  public void beginWrite(MemoryRegion from, long length, RemoteBuffer to) {
    begin(connection.postWrite(0, from, 0, length, to.stag(), to.to()));
  }

  /** Reads the peer's memory, and waits for the completion. */
  public void read(MemoryRegion into, long length, RemoteBuffer from) {
    beginRead(into, 0, length, from);
    finish("answer to a read");
  }

  /** Reads the peer's memory, without waiting. */
  public void beginRead(MemoryRegion into, long offset, long length, RemoteBuffer from) {
    begin(connection.postRead(0, into, offset, length, from.stag(), from.to()));
  }

  private void begin(boolean posted) {
    if (!posted) {
      throw new IllegalStateException("the send queue is full");
    }
    outstanding++;
  }

  /** Waits until all requests have succeeded. */
  public void finish(String what) {
    finish(what, 0);
  }

  /** Waits until at most {@code most} requests are outstanding; the others must have succeeded. */
  public void finish(String what, int most) {
    program.until(() -> failure != null || outstanding <= most, this, what);
    if (failure != null) {
      throw new IllegalStateException("no " + what + ": " + failure + "; " + end());
    }
  }

  public void onCompletion(Completion completion) {
    if (completion.connection() != connection) {
      return;
    }
    if (completion.opcode() != Opcode.RECEIVE) {
      outstanding -= completion.retired();
      failure = completion.isSuccess() || failure != null ? failure : completion.status();
    } else if (completion.isSuccess()) {
      int slot = (int) completion.id();
      long at = (long) slot * room;
      received.add(
          incoming.segment().asSlice(at, completion.octets()).toArray(ValueLayout.JAVA_BYTE));
      if (connection.isOpen()) {
        postReceive(slot);
      }
    }
  }

  /** Whether nothing more can arrive. */
  public boolean isOver() {
    return connection.closeReason() != null || connection.isPeerClosed();
  }

  /** How the connection ended, for messages. */
  public String end() {
    return connection.closeReason() == null
        ? connection.isPeerClosed() ? "the peer has closed" : "nothing moves"
        : connection.closeReason() + " " + connection.closeText();
  }

  /** Waits until the peer has closed or aborted the connection. */
  public void awaitPeersEnd() {
    if (!connection.awaitClosed(Duration.ZERO)) {
      long since = System.nanoTime();
      while (!isOver() && System.nanoTime() - since < END_TIMEOUT.toNanos()) {
        program.session().await(Duration.ofMillis(5));
      }
    }
  }

  /** Closes the connection, and waits for its end. */
  public void close() {
    connection.close();
  }
}
