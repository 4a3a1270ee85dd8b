package org.rddp.transfer;

import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.rig.AdvertisedBuffer;

/**
 * A peer of the echo server: its buffer, and slots. A slot is posted as a receive, and then as the
 * send of the message that it received. While no slot is free, the daemon holds the peer's further
 * messages, and TCP's window stays closed.
 */
final class EchoPeer {
  private static final int RECEIVE = -1;

  private final Connection connection;
  private final int longest;
  private final MemoryRegion buffer;
  private final MemoryRegion slots;

  /** Slots to be posted again, in this order: a ring. */
  private final int[] toPost;

  private int firstToPost;
  private int countToPost;

  /** For each slot the octets of the message to send back, or {@link #RECEIVE}. */
  private final int[] octets;

  /** Messages received whose echo TCP has not accepted yet. */
  private int unanswered;

  private boolean closing;

  /**
   * Allocates the memory of a peer, and posts its receives.
   *
   * @param slots number of messages that are answered at a time
   * @param longest octets of the longest message
   * @throws org.rddp.client.RefusedException when a limit of the session is reached
   */
  EchoPeer(Rddp session, Connection connection, int slots, int longest) {
    this.connection = connection;
    this.longest = longest;
    toPost = new int[slots];
    octets = new int[slots];
    buffer =
        session.allocate(
            EchoServer.BUFFER, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
    try {
      this.slots = session.allocate((long) slots * longest, Access.LOCAL_WRITE);
    } catch (RuntimeException e) {
      buffer.close();
      throw e;
    }
    for (int slot = 0; slot < slots; slot++) {
      add(slot, RECEIVE);
    }
    post();
  }

  Connection connection() {
    return connection;
  }

  /** The buffer that the peer may write and read. */
  PrivateData advertisement() {
    return AdvertisedBuffer.of(buffer).toPrivateData();
  }

  void onCompletion(Completion completion) {
    if (!completion.isSuccess()) {
      return; // the connection ends
    }
    int slot = (int) completion.id();
    if (completion.opcode() == Opcode.RECEIVE) {
      unanswered++;
      add(slot, (int) completion.octets());
    } else {
      unanswered--;
      add(slot, RECEIVE);
    }
    post();
  }

  private void add(int slot, int length) {
    octets[slot] = length;
    toPost[(firstToPost + countToPost) % toPost.length] = slot;
    countToPost++;
  }

  /**
   * Posts what could not be posted before, until a queue is full.
   *
   * @return whether something is left
   */
  boolean post() {
    while (countToPost > 0 && post(toPost[firstToPost])) {
      firstToPost = (firstToPost + 1) % toPost.length;
      countToPost--;
    }
    return countToPost > 0;
  }

  private boolean post(int slot) {
    long offset = (long) slot * longest;
    return octets[slot] == RECEIVE
        ? connection.postReceive(slot, slots, offset, longest)
        : connection.postSend(slot, slots, offset, octets[slot]);
  }

  /** Whether every message received so far has been sent back. */
  boolean isAnswered() {
    return unanswered == 0;
  }

  /** True for the first call: the connection is closed once. */
  boolean beginsClosing() {
    boolean first = !closing;
    closing = true;
    return first;
  }

  void free() {
    buffer.close();
    slots.close();
  }
}
