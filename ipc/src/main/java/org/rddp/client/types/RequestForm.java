package org.rddp.client.types;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The table of the opcodes: the queue of a request with one of them, and the values that its words
 * may have (docs/ipc.md).
 *
 * @param opcode of {@link Opcode}
 * @param name for people
 * @param queue that the request goes to
 * @param sink whether the peer's octets are placed in memory of this end
 * @param flags of {@link SendFlags}, {@link #INLINE} and {@link #LIST} that it may have
 * @param qnBits the bits that the word of the Queue Number may have
 * @param toBits the bits that the word of the remote TO may have
 * @param immediateBits the bits that the word of immediate data may have
 * @param least octets of the shortest message
 * @param most octets of the longest one that is not inline
 */
public record RequestForm(
    int opcode,
    String name,
    Queue queue,
    boolean sink,
    int flags,
    int qnBits,
    long toBits,
    long immediateBits,
    long least,
    long most) {
  /** The queues of a connection; the requests of each complete in the order of their posts. */
  public enum Queue {
    /** Requests that end here: messages, reads, atomics and local operations. */
    SEND,
    /** Receives, of the connection or of a shared receive queue. */
    RECEIVE,
    /** Plain DDP: receives of one Queue Number. */
    UNTAGGED_RECEIVE,
    /** Plain DDP: notices of Tagged Messages. */
    NOTICE
  }

  /** Flag: the entry carries the message; it has no local STag and offset. */
  public static final int INLINE = 2;

  /** Flag: the message lies in pieces. */
  public static final int LIST = 16;

  /** The longest message: lengths are 32 bits wide on the wire (RFC 5041 section 4.3). */
  public static final long MAX_LENGTH = 0xffff_ffffL;

  /** Octets that an atomic works on. */
  public static final int ATOMIC_OCTETS = 8;

  private static final int ANY = -1;
  private static final int PIECES = SendFlags.SIGNALLED | LIST;
  private static final int MESSAGE = PIECES | INLINE;
  private static final int FENCED = SendFlags.SIGNALLED | SendFlags.FENCED;
  private static final int WRITE = MESSAGE | SendFlags.FENCED;
  private static final int SEND = WRITE | SendFlags.SOLICITED;

  /** The last octet of an STag. */
  private static final int KEY = 0xff;

  /** The rights that a peer may have. */
  private static final int PEER =
      Access.bits(
          Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC, Access.REMOTE_INVALIDATE);

  /** By opcode; null for those that do not exist. */
  private static final RequestForm[] FORMS = new RequestForm[Opcode.TAGGED_NOTICE + 1];

  static {
    add(Opcode.RECEIVE, "receive", Queue.RECEIVE, PIECES).into();
    add(Opcode.SEND, "send", Queue.SEND, SEND);
    add(Opcode.WRITE, "write", Queue.SEND, WRITE);
    add(Opcode.READ, "read", Queue.SEND, FENCED).into();
    add(Opcode.WRITE_IMMEDIATE, "write with immediate", Queue.SEND, SEND).words(0, ANY, ANY);
    add(Opcode.IMMEDIATE, "immediate", Queue.SEND, FENCED | SendFlags.SOLICITED)
        .words(0, ANY, ANY)
        .lengths(0, 0);
    add(Opcode.SEND_WITH_IMMEDIATE, "send with immediate", Queue.SEND, SEND)
        .words(0, 0, 0xffff_ffffL);
    addAtomic(Opcode.FETCH_ADD, "fetch and add");
    addAtomic(Opcode.SWAP, "swap");
    addAtomic(Opcode.COMPARE_SWAP, "compare and swap");
    add(Opcode.INVALIDATE, "invalidate", Queue.SEND, FENCED).lengths(0, 0);
    add(Opcode.BIND, "bind", Queue.SEND, FENCED).words(KEY, PEER, ANY).lengths(0, Long.MAX_VALUE);
    add(Opcode.SEND_UNTAGGED, "untagged send", Queue.SEND, MESSAGE)
        .words(ANY, ANY, 0xff_ffff_ffffL);
    add(Opcode.SEND_TAGGED, "tagged send", Queue.SEND, MESSAGE).words(0, ANY, 0xff);
    add(Opcode.RECEIVE_UNTAGGED, "untagged receive", Queue.UNTAGGED_RECEIVE, PIECES)
        .words(ANY, ANY, 0)
        .into();
    add(Opcode.TAGGED_NOTICE, "tagged notice", Queue.NOTICE, SendFlags.SIGNALLED).lengths(0, 0);
  }

  private static final List<RequestForm> ALL =
      Arrays.stream(FORMS).filter(Objects::nonNull).toList();

  /** The form of an opcode; null if there is no such opcode. */
  public static RequestForm of(int opcode) {
    return opcode >= 0 && opcode < FORMS.length ? FORMS[opcode] : null;
  }

  /** All forms, in the order of the opcodes. */
  public static List<RequestForm> all() {
    return ALL;
  }

  /** Whether it is one of the atomic operations. */
  public boolean atomic() {
    return least == ATOMIC_OCTETS;
  }

  /** Whether success is reported even if the request is not {@link SendFlags#SIGNALLED}. */
  public boolean alwaysReported() {
    return queue != Queue.SEND || opcode == Opcode.BIND;
  }

  private static RequestForm add(int opcode, String name, Queue queue, int flags) {
    return new RequestForm(opcode, name, queue, false, flags, 0, ANY, 0, 0, MAX_LENGTH).put();
  }

  private static void addAtomic(int opcode, String name) {
    add(opcode, name, Queue.SEND, FENCED).lengths(ATOMIC_OCTETS, ATOMIC_OCTETS).into();
  }

  private RequestForm put() {
    FORMS[opcode] = this;
    return this;
  }

  private RequestForm into() {
    return new RequestForm(
            opcode, name, queue, true, flags, qnBits, toBits, immediateBits, least, most)
        .put();
  }

  private RequestForm words(int qn, long to, long immediate) {
    return new RequestForm(opcode, name, queue, sink, flags, qn, to, immediate, least, most).put();
  }

  private RequestForm lengths(long shortest, long longest) {
    return new RequestForm(
            opcode, name, queue, sink, flags, qnBits, toBits, immediateBits, shortest, longest)
        .put();
  }
}
