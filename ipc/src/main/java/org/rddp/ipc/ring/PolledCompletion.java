package org.rddp.ipc.ring;

import java.lang.foreign.MemorySegment;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;

/**
 * A completion that is read from its slot of the completion ring, which {@link CompletionEntry}
 * describes. Used by one thread; reused without allocation.
 */
public final class PolledCompletion {
  private int opcode;
  private int status;

  /** Flags as {@link CompletionEntry} has them. */
  private int flags;

  private long id;
  private long octets;
  private int connection;
  private int retired;
  private int detail;
  private int stag;
  private long immediate;
  private int object;
  private long rsvdUlp;
  private int qn;
  private int msn;

  /** Creates an empty copy. */
  public PolledCompletion() {}

  void read(MemorySegment memory, long slot) {
    int word = RingLayout.getInt(memory, slot + CompletionEntry.OPCODE);
    opcode = word & 0xff;
    status = word >>> 8 & 0xff;
    flags = word >>> 16 & 0xff;
    stag = RingLayout.getInt(memory, slot + CompletionEntry.STAG);
    object = RingLayout.getInt(memory, slot + CompletionEntry.OBJECT);
    immediate = RingLayout.getLong(memory, slot + CompletionEntry.IMMEDIATE);
    id = RingLayout.getLong(memory, slot + CompletionEntry.ID);
    octets = RingLayout.getLong(memory, slot + CompletionEntry.OCTETS);
    connection = RingLayout.getInt(memory, slot + CompletionEntry.CONNECTION);
    retired = RingLayout.getInt(memory, slot + CompletionEntry.RETIRED);
    detail = RingLayout.getInt(memory, slot + CompletionEntry.DETAIL);
    boolean plain = opcode == Opcode.RECEIVE_UNTAGGED || opcode == Opcode.TAGGED_NOTICE;
    rsvdUlp = plain ? RingLayout.getLong(memory, slot + CompletionEntry.RSVD_ULP) : 0;
    qn = plain ? RingLayout.getInt(memory, slot + CompletionEntry.QN) : 0;
    msn = plain ? RingLayout.getInt(memory, slot + CompletionEntry.MSN) : 0;
  }

  /** Copies another completion. */
  public void copyFrom(PolledCompletion other) {
    opcode = other.opcode;
    status = other.status;
    flags = other.flags;
    id = other.id;
    octets = other.octets;
    connection = other.connection;
    retired = other.retired;
    detail = other.detail;
    stag = other.stag;
    immediate = other.immediate;
    object = other.object;
    rsvdUlp = other.rsvdUlp;
    qn = other.qn;
    msn = other.msn;
  }

  /** The program's own number for the request. */
  public long id() {
    return id;
  }

  /** The connection's number. */
  public int connection() {
    return connection;
  }

  /** The opcode of the request, one of {@link Opcode}. */
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

  /** Whether immediate data has come to a receive, {@link #immediate()}. */
  public boolean hasImmediate() {
    return has(CompletionEntry.HAS_IMMEDIATE);
  }

  /** Whether the immediate data came with a Send, whose message the receive holds. */
  public boolean isSendWithImmediate() {
    return has(CompletionEntry.OF_SEND);
  }

  /** The immediate data; means nothing without {@link #hasImmediate()}. */
  public long immediate() {
    return immediate;
  }

  /** Whether the peer wanted the program to be woken for the message. */
  public boolean isSolicited() {
    return has(CompletionEntry.SOLICITED);
  }

  /** The STag of this program's that the peer has invalidated with its message, or 0. */
  public int invalidatedStag() {
    return has(CompletionEntry.HAS_INVALIDATED) ? stag : 0;
  }

  /** The number of the shared receive queue that a receive was posted to, or 0. */
  public int receiveQueue() {
    return opcode == Opcode.RECEIVE ? object : 0;
  }

  /** The number of the window that was to be bound, or 0. */
  public int window() {
    return opcode == Opcode.BIND ? object : 0;
  }

  /** The STag that the window's next bind gives it; 0 if there is no window. */
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

  /** Queue Number of an {@link Opcode#RECEIVE_UNTAGGED}. */
  public int qn() {
    return qn;
  }

  /** Message Sequence Number of an {@link Opcode#RECEIVE_UNTAGGED}, unsigned. */
  public int msn() {
    return msn;
  }

  /** STag of this program that the peer has named in a {@link Opcode#TAGGED_NOTICE}. */
  public int stag() {
    return opcode == Opcode.TAGGED_NOTICE ? stag : 0;
  }

  /**
   * Tagged Offset of the last segment of a {@link Opcode#TAGGED_NOTICE}'s message, whose octets are
   * {@link #octets()}. DDP does not know the length of the whole message (RFC 5041 section 5.2).
   * Undefined if there are no octets.
   */
  public long to() {
    return opcode == Opcode.TAGGED_NOTICE ? immediate : 0;
  }

  private boolean has(int flag) {
    return (flags & flag) != 0;
  }

  @Override
  public String toString() {
    return "%s id %d connection %08x %s octets %d"
        .formatted(Opcode.name(opcode), id, connection, status(), octets);
  }
}
