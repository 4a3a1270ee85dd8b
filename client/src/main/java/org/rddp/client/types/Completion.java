package org.rddp.client.types;

import java.lang.foreign.MemorySegment;
import org.rddp.ipc.ring.RingLayout;

/**
 * A completion as the program reads it: a private copy of one slot of the completion ring.
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
 * <p>Of plain DDP's receives and notices, 48 is the RsvdULP (8), 56 the Queue Number (4) and 60 the
 * Message Sequence Number (4). Of a {@link Opcode#TAGGED_NOTICE}, 36 is the STag that the peer has
 * named, and 40 the Tagged Offset.
 *
 * <p>Used by one thread; reused without allocation.
 */
public final class Completion {
  public static final int OPCODE = 4;
  public static final int ID = 8;
  public static final int OCTETS = 16;
  public static final int CONNECTION = 24;
  public static final int RETIRED = 28;
  public static final int DETAIL = 32;
  public static final int STAG = 36;
  public static final int IMMEDIATE = 40;
  public static final int OBJECT = 48;
  public static final int RSVD_ULP = 48;
  public static final int QN = 56;
  public static final int MSN = 60;

  /** Flag of a receive: it was used up by immediate data. */
  public static final int HAS_IMMEDIATE = 1;

  /** Flag of a receive: the peer wants its program woken for it. */
  public static final int SOLICITED = 2;

  /** Flag of a receive: the peer has invalidated an STag with it. */
  public static final int HAS_INVALIDATED = 4;

  private int opcode;
  private int status;
  private long id;
  private long octets;
  private int connection;
  private int retired;
  private int detail;
  private int flags;
  private int stag;
  private long immediate;
  private int object;
  private long rsvdUlp;
  private int qn;
  private int msn;

  public void read(MemorySegment memory, long slot) {
    int word = RingLayout.getInt(memory, slot + OPCODE);
    opcode = word & 0xff;
    status = word >>> 8 & 0xff;
    flags = word >>> 16 & 0xff;
    stag = RingLayout.getInt(memory, slot + STAG);
    object = RingLayout.getInt(memory, slot + OBJECT);
    immediate = RingLayout.getLong(memory, slot + IMMEDIATE);
    id = RingLayout.getLong(memory, slot + ID);
    octets = RingLayout.getLong(memory, slot + OCTETS);
    connection = RingLayout.getInt(memory, slot + CONNECTION);
    retired = RingLayout.getInt(memory, slot + RETIRED);
    detail = RingLayout.getInt(memory, slot + DETAIL);
    boolean plain = Opcode.isPlainDdpReceive(opcode);
    rsvdUlp = plain ? RingLayout.getLong(memory, slot + RSVD_ULP) : 0;
    qn = plain ? RingLayout.getInt(memory, slot + QN) : 0;
    msn = plain ? RingLayout.getInt(memory, slot + MSN) : 0;
  }

  /** The program's own number for the request. */
  public long id() {
    return id;
  }

  /** The connection's number. */
  public int connection() {
    return connection;
  }

  /** What was asked for, one of {@link Opcode}. */
  public int opcode() {
    return opcode;
  }

  /** How it ended. */
  public CompletionStatus status() {
    return CompletionStatus.of(status);
  }

  /** Whether it succeeded. */
  public boolean isSuccess() {
    return status == CompletionStatus.SUCCESS.code();
  }

  /** Octets of the message that was sent, written or received; 0 on failure. */
  public long octets() {
    return octets;
  }

  /**
   * Requests of the same queue of that connection that this completion ends: itself and the
   * unsignalled ones before it.
   */
  public int retired() {
    return retired;
  }

  /** The error's number in the layer that it comes from, 0 when there is none. */
  public int detail() {
    return detail;
  }

  /** Whether a receive was used up by immediate data, {@link #immediate()}. */
  public boolean hasImmediate() {
    return (flags & HAS_IMMEDIATE) != 0;
  }

  /** The number that the peer has sent; means nothing without {@link #hasImmediate()}. */
  public long immediate() {
    return immediate;
  }

  /** Whether the peer wanted the program to be woken for the message. */
  public boolean isSolicited() {
    return (flags & SOLICITED) != 0;
  }

  /** The STag of this program's that the peer has invalidated with its message, or 0. */
  public int invalidatedStag() {
    return (flags & HAS_INVALIDATED) != 0 ? stag : 0;
  }

  /** The number of the shared receive queue that a receive was posted to, or 0. */
  public int receiveQueue() {
    return opcode == Opcode.RECEIVE ? object : 0;
  }

  /** The number of the window that was to be bound, or 0. */
  public int window() {
    return opcode == Opcode.BIND ? object : 0;
  }

  /** The STag that a window will have once it is bound the next time; 0 if there is no window. */
  public int windowStag() {
    return opcode == Opcode.BIND ? stag : 0;
  }

  /**
   * Plain DDP: what the message's header carried for its ULP (RFC 5041 sections 4.2 and 4.3), 40
   * bits of an {@link Opcode#RECEIVE_UNTAGGED} with the first octet highest, 8 of a {@link
   * Opcode#TAGGED_NOTICE}; else 0.
   */
  public long rsvdUlp() {
    return rsvdUlp;
  }

  /** Of an {@link Opcode#RECEIVE_UNTAGGED}: its queue's number. */
  public int qn() {
    return qn;
  }

  /** Of an {@link Opcode#RECEIVE_UNTAGGED}: the message's number in its queue, unsigned. */
  public int msn() {
    return msn;
  }

  /** Of a {@link Opcode#TAGGED_NOTICE}: the STag of this program's that the peer has named. */
  public int stag() {
    return opcode == Opcode.TAGGED_NOTICE ? stag : 0;
  }

  /**
   * Of a {@link Opcode#TAGGED_NOTICE}: the Tagged Offset of the message's last segment, whose
   * octets are {@link #octets()}. How long the whole message was DDP does not know (RFC 5041
   * section 5.2). It means nothing if there are no octets.
   */
  public long to() {
    return opcode == Opcode.TAGGED_NOTICE ? immediate : 0;
  }

  @Override
  public String toString() {
    return "%s id %d connection %08x %s octets %d"
        .formatted(Opcode.name(opcode), id, connection, status(), octets);
  }
}
