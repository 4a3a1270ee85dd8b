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
 * A peer whose messages are sent back: a buffer that it may write, and slots. A slot is posted as a
 * receive, and then as the send of the message that it received. While no slot is free, the daemon
 * holds the peer's further messages, and TCP's window stays closed.
 */
class EchoPeer extends Peer {
  private static final int RECEIVE = -1;

  private final int longest;
  private final MemoryRegion buffer;
  private final MemoryRegion slots;
  private final SlotQueue toPost;

  /** For each slot the octets of the message to send back, or {@link #RECEIVE}. */
  private final int[] octets;

  /** Messages received whose echo TCP has not accepted yet. */
  private int unanswered;

  /**
   * Allocates the memory of a peer, and posts its receives.
   *
   * @param slots number of messages that are answered at a time
   * @param longest octets of the longest message
   * @throws org.rddp.client.RefusedException when a limit of the session is reached
   */
  EchoPeer(Rddp session, Connection connection, int slots, int longest) {
    super(connection);
    this.longest = longest;
    toPost = new SlotQueue(slots);
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

  final AdvertisedBuffer buffer() {
    return AdvertisedBuffer.of(buffer);
  }

  @Override
  PrivateData reply() {
    return buffer().toPrivateData();
  }

  @Override
  final void onCompletion(Completion completion) {
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
    toPost.add(slot);
  }

  @Override
  final boolean post() {
    while (!toPost.isEmpty() && post(toPost.peek())) {
      toPost.remove();
    }
    return !toPost.isEmpty();
  }

  private boolean post(int slot) {
    long offset = (long) slot * longest;
    return octets[slot] == RECEIVE
        ? connection().postReceive(slot, slots, offset, longest)
        : connection().postSend(slot, slots, offset, octets[slot]);
  }

  @Override
  final boolean isAnswered() {
    return unanswered == 0;
  }

  @Override
  final void free() {
    buffer.close();
    slots.close();
  }
}
