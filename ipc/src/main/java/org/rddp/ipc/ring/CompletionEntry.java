package org.rddp.ipc.ring;

import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;

/**
 * A completion that the daemon writes into the completion ring: a flyweight over the slot that
 * {@link DaemonRings#claim} has given.
 *
 * <pre>
 *  0  state word (4)           16  octets (8), of the message
 *  4  opcode (1), of the       24  connection (4)
 *     request that ended       28  retired (4), requests
 *  5  status (1)               32  detail (4), error number
 *  6  flags (1)                36  STag (4), invalidated,
 *                                  or the window's next one
 *  7  zero (1)                 40  immediate data (8)
 *  8  work request id (8)      48  shared receive queue,
 *                                  or window (4)
 *                              52  of plain DDP only (12)
 * </pre>
 *
 * <p>In plain DDP's receives and notices, 48 is the RsvdULP (8), 56 the Queue Number (4) and 60 the
 * Message Sequence Number (4). In a {@link Opcode#TAGGED_NOTICE}, 36 is the STag that the peer has
 * named, and 40 the Tagged Offset.
 *
 * <p>Call {@link #begin}, the setters that the opcode needs, then {@link #submit}. Fields that are
 * not set are zero, except for plain DDP's, which other opcodes do not have. Engine thread only;
 * allocates nothing.
 */
public final class CompletionEntry {
  static final int OPCODE = 4;
  static final int ID = 8;
  static final int OCTETS = 16;
  static final int CONNECTION = 24;
  static final int RETIRED = 28;
  static final int DETAIL = 32;
  static final int STAG = 36;
  static final int IMMEDIATE = 40;
  static final int OBJECT = 48;
  static final int RSVD_ULP = 48;
  static final int QN = 56;
  static final int MSN = 60;

  /** Flag of a receive: it was used up by immediate data. */
  static final int HAS_IMMEDIATE = 1;

  /** Flag of a receive: the peer wants its program woken for it. */
  static final int SOLICITED = 2;

  /** Flag of a receive: the peer has invalidated an STag with it. */
  static final int HAS_INVALIDATED = 4;

  /** Flag of a receive: immediate data came with its message. */
  static final int OF_SEND = 8;

  private final DaemonRings rings;

  /** Address of the slot. */
  private long slot;

  /** Opcode, status and flags as written: the slot is never read, as the program can change it. */
  private int word;

  CompletionEntry(DaemonRings rings) {
    this.rings = rings;
  }

  /** Moves to the slot at an address. {@code retired}: requests that its completion ends. */
  void wrap(long address, int retired) {
    slot = address;
    putInt(RETIRED, retired);
  }

  /**
   * Writes the fields of every completion.
   *
   * @param id the request's own number
   * @param connection that it was for, or 0
   * @param opcode of the request
   * @param octets of the message
   */
  public CompletionEntry begin(
      long id, int connection, int opcode, CompletionStatus status, long octets) {
    word = (opcode & 0xff) | status.code() << 8;
    putInt(OPCODE, word);
    putLong(ID, id);
    putLong(OCTETS, octets);
    putInt(CONNECTION, connection);
    putInt(DETAIL, 0);
    putInt(STAG, 0);
    putLong(IMMEDIATE, 0);
    putInt(OBJECT, 0);
    return this;
  }

  /** The error's number in the layer that it comes from. */
  public CompletionEntry detail(int number) {
    putInt(DETAIL, number);
    return this;
  }

  /** Receives: the shared receive queue that it was posted to, or 0. */
  public CompletionEntry receiveQueue(int number) {
    putInt(OBJECT, number);
    return this;
  }

  /** Receives: the peer wants its program woken for it. */
  public CompletionEntry solicited() {
    return flag(SOLICITED);
  }

  /** Receives: the peer has invalidated an STag with it. */
  public CompletionEntry invalidated(int stag) {
    putInt(STAG, stag);
    return flag(HAS_INVALIDATED);
  }

  /** Receives: it was used up by immediate data. */
  public CompletionEntry immediate(long data) {
    putLong(IMMEDIATE, data);
    return flag(HAS_IMMEDIATE);
  }

  /** Receives: the message has immediate data, of 32 bits. */
  public CompletionEntry immediateOfSend(int data) {
    flag(OF_SEND);
    return immediate(Integer.toUnsignedLong(data));
  }

  /** Binds: the window's number, and the STag that its next bind gives it. */
  public CompletionEntry window(int number, int nextStag) {
    putInt(OBJECT, number);
    putInt(STAG, nextStag);
    return this;
  }

  /** Receives of plain DDP: RsvdULP, Queue Number and Message Sequence Number. */
  public CompletionEntry untagged(long rsvdUlp, int qn, int msn) {
    putLong(RSVD_ULP, rsvdUlp);
    putInt(QN, qn);
    putInt(MSN, msn);
    return this;
  }

  /** Notices of a Tagged Message: STag, Tagged Offset and RsvdULP of its last segment. */
  public CompletionEntry tagged(int stag, long to, long rsvdUlp) {
    putInt(STAG, stag);
    putLong(IMMEDIATE, to);
    return untagged(rsvdUlp, 0, 0);
  }

  /** Hands the completion to the program. */
  public void submit() {
    rings.submit();
  }

  private CompletionEntry flag(int flag) {
    word |= flag << 16;
    putInt(OPCODE, word);
    return this;
  }

  private void putInt(int offset, int value) {
    RingLayout.putInt(RingLayout.ALL, slot + offset, value);
  }

  private void putLong(int offset, long value) {
    RingLayout.putLong(RingLayout.ALL, slot + offset, value);
  }
}
