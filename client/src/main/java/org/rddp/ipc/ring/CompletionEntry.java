package org.rddp.ipc.ring;

import org.rddp.client.types.Completion;
import org.rddp.client.types.CompletionStatus;

/**
 * A completion that the daemon is writing into the completion ring: a flyweight over the slot that
 * {@link DaemonRings#claim} has given. {@link Completion} has the layout.
 *
 * <p>{@link #begin} first, then what the opcode has besides, then {@link #submit}. What is not set
 * is zero. Engine thread only; allocates nothing.
 */
public final class CompletionEntry {
  private final DaemonRings rings;

  /** Address of the slot. */
  private long slot;

  CompletionEntry(DaemonRings rings) {
    this.rings = rings;
  }

  /** Stands for the slot at an address, whose completion ends so many requests. */
  void wrap(long address, int retired) {
    slot = address;
    putInt(Completion.RETIRED, retired);
  }

  /**
   * Writes what every completion has.
   *
   * @param id the request's own number
   * @param connection that it was for, or 0
   * @param opcode what it asked for
   * @param octets of the message
   */
  public CompletionEntry begin(
      long id, int connection, int opcode, CompletionStatus status, long octets) {
    putInt(Completion.OPCODE, (opcode & 0xff) | status.code() << 8);
    putLong(Completion.ID, id);
    putLong(Completion.OCTETS, octets);
    putInt(Completion.CONNECTION, connection);
    putInt(Completion.DETAIL, 0);
    putInt(Completion.STAG, 0);
    putLong(Completion.IMMEDIATE, 0);
    putInt(Completion.OBJECT, 0);
    return this;
  }

  /** The error's number in the layer that it comes from. */
  public CompletionEntry detail(int number) {
    putInt(Completion.DETAIL, number);
    return this;
  }

  /** Of a receive: the shared receive queue that it was posted to, or 0. */
  public CompletionEntry receiveQueue(int number) {
    putInt(Completion.OBJECT, number);
    return this;
  }

  /** Of a receive: the peer wants its program woken for it. */
  public CompletionEntry solicited() {
    return flag(Completion.SOLICITED);
  }

  /** Of a receive: the peer has invalidated an STag with it. */
  public CompletionEntry invalidated(int stag) {
    putInt(Completion.STAG, stag);
    return flag(Completion.HAS_INVALIDATED);
  }

  /** Of a receive: it was used up by immediate data. */
  public CompletionEntry immediate(long data) {
    putLong(Completion.IMMEDIATE, data);
    return flag(Completion.HAS_IMMEDIATE);
  }

  /** Of a bind: the window's number, and the STag that it has once it is bound the next time. */
  public CompletionEntry window(int number, int nextStag) {
    putInt(Completion.OBJECT, number);
    putInt(Completion.STAG, nextStag);
    return this;
  }

  /** Of a receive of plain DDP: what its message's header carried, its queue, its number there. */
  public CompletionEntry untagged(long rsvdUlp, int qn, int msn) {
    putLong(Completion.RSVD_ULP, rsvdUlp);
    putInt(Completion.QN, qn);
    putInt(Completion.MSN, msn);
    return this;
  }

  /** Of a notice of a Tagged Message: what its last segment named, and its header carried. */
  public CompletionEntry tagged(int stag, long to, long rsvdUlp) {
    putInt(Completion.STAG, stag);
    putLong(Completion.IMMEDIATE, to);
    return untagged(rsvdUlp, 0, 0);
  }

  /** Hands the completion to the program. */
  public void submit() {
    rings.submit();
  }

  private CompletionEntry flag(int flag) {
    int word = RingLayout.getInt(RingLayout.ALL, slot + Completion.OPCODE);
    putInt(Completion.OPCODE, word | flag << 16);
    return this;
  }

  private void putInt(int offset, int value) {
    RingLayout.putInt(RingLayout.ALL, slot + offset, value);
  }

  private void putLong(int offset, long value) {
    RingLayout.putLong(RingLayout.ALL, slot + offset, value);
  }
}
