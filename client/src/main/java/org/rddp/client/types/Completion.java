package org.rddp.client.types;

/**
 * How a work request has ended: a private copy of what the daemon reported, which a program gets
 * from {@code Rddp.poll}. Good until the next one is polled. Used by one thread.
 */
public class Completion {
  protected int opcode;
  protected int status;
  protected long id;
  protected long octets;
  protected int connection;
  protected int retired;
  protected int detail;
  protected boolean hasImmediate;
  protected boolean solicited;
  protected boolean hasInvalidated;
  protected int stag;
  protected long immediate;
  protected int object;
  protected long rsvdUlp;
  protected int qn;
  protected int msn;

  /** A copy of nothing yet. */
  protected Completion() {}

  /** The program's own number for the request. */
  public final long id() {
    return id;
  }

  /** The connection's number. */
  public final int connection() {
    return connection;
  }

  /** What was asked for, one of {@link Opcode}. */
  public final int opcode() {
    return opcode;
  }

  /** How it ended. */
  public final CompletionStatus status() {
    return CompletionStatus.of(status);
  }

  /** Whether it succeeded. */
  public final boolean isSuccess() {
    return status == CompletionStatus.SUCCESS.code();
  }

  /** Octets of the message that was sent, written or received; 0 on failure. */
  public final long octets() {
    return octets;
  }

  /**
   * Requests of the same queue of that connection that this completion ends: itself and the
   * unsignalled ones before it.
   */
  public final int retired() {
    return retired;
  }

  /** The error's number in the layer that it comes from, 0 when there is none. */
  public final int detail() {
    return detail;
  }

  /** Whether a receive was used up by immediate data, {@link #immediate()}. */
  public final boolean hasImmediate() {
    return hasImmediate;
  }

  /** The number that the peer has sent; means nothing without {@link #hasImmediate()}. */
  public final long immediate() {
    return immediate;
  }

  /** Whether the peer wanted the program to be woken for the message. */
  public final boolean isSolicited() {
    return solicited;
  }

  /** The STag of this program's that the peer has invalidated with its message, or 0. */
  public final int invalidatedStag() {
    return hasInvalidated ? stag : 0;
  }

  /** The number of the shared receive queue that a receive was posted to, or 0. */
  public final int receiveQueue() {
    return opcode == Opcode.RECEIVE ? object : 0;
  }

  /** The number of the window that was to be bound, or 0. */
  public final int window() {
    return opcode == Opcode.BIND ? object : 0;
  }

  /** The STag that a window will have once it is bound the next time; 0 if there is no window. */
  public final int windowStag() {
    return opcode == Opcode.BIND ? stag : 0;
  }

  /**
   * Plain DDP: what the message's header carried for its ULP (RFC 5041 sections 4.2 and 4.3), 40
   * bits of an {@link Opcode#RECEIVE_UNTAGGED} with the first octet highest, 8 of a {@link
   * Opcode#TAGGED_NOTICE}; else 0.
   */
  public final long rsvdUlp() {
    return rsvdUlp;
  }

  /** Of an {@link Opcode#RECEIVE_UNTAGGED}: its queue's number. */
  public final int qn() {
    return qn;
  }

  /** Of an {@link Opcode#RECEIVE_UNTAGGED}: the message's number in its queue, unsigned. */
  public final int msn() {
    return msn;
  }

  /** Of a {@link Opcode#TAGGED_NOTICE}: the STag of this program's that the peer has named. */
  public final int stag() {
    return opcode == Opcode.TAGGED_NOTICE ? stag : 0;
  }

  /**
   * Of a {@link Opcode#TAGGED_NOTICE}: the Tagged Offset of the message's last segment, whose
   * octets are {@link #octets()}. How long the whole message was DDP does not know (RFC 5041
   * section 5.2). It means nothing if there are no octets.
   */
  public final long to() {
    return opcode == Opcode.TAGGED_NOTICE ? immediate : 0;
  }

  @Override
  public final String toString() {
    return "%s id %d connection %08x %s octets %d"
        .formatted(Opcode.name(opcode), id, connection, status(), octets);
  }
}
