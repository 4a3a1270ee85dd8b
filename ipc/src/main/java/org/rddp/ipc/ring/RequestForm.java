package org.rddp.ipc.ring;

import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;

/**
 * The valid values of the words of a request with one opcode, see {@link WorkRequest}.
 *
 * @param flags the flags that it may have
 * @param qnBits the bits that the word of the Queue Number may have
 * @param toBits the bits that the word of the remote TO may have
 * @param immediateBits the bits that the word of immediate data may have
 * @param least octets of the shortest message
 * @param most octets of the longest one that is not inline
 */
record RequestForm(int flags, int qnBits, long toBits, long immediateBits, long least, long most) {
  private static final int ANY = -1;
  private static final int LIST = SendFlags.SIGNALLED | WorkRequest.LIST;
  private static final int MESSAGE = LIST | WorkRequest.INLINE;
  private static final int IN_ORDER = SendFlags.SIGNALLED | SendFlags.FENCED;

  /** The last octet of an STag. */
  private static final int KEY = 0xff;

  /** The rights that a peer may have. */
  private static final int PEER =
      Access.bits(
          Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC, Access.REMOTE_INVALIDATE);

  /** By opcode; null for those that do not exist. */
  private static final RequestForm[] FORMS = new RequestForm[256];

  static {
    RequestForm plain = new RequestForm(IN_ORDER, 0, ANY, 0, 0, WorkRequest.MAX_LENGTH);
    RequestForm empty = plain.withLength(0, 0);
    RequestForm atomic = plain.withLength(WorkRequest.ATOMIC_OCTETS, WorkRequest.ATOMIC_OCTETS);
    RequestForm write = plain.withFlags(MESSAGE | SendFlags.FENCED);
    RequestForm send = write.withFlags(write.flags | SendFlags.SOLICITED);
    FORMS[Opcode.RECEIVE] = plain.withFlags(LIST);
    FORMS[Opcode.SEND] = send;
    FORMS[Opcode.WRITE] = write;
    FORMS[Opcode.READ] = plain;
    FORMS[Opcode.WRITE_IMMEDIATE] = send.withWords(0, ANY, ANY);
    FORMS[Opcode.SEND_IMMEDIATE] =
        empty.withFlags(IN_ORDER | SendFlags.SOLICITED).withWords(0, ANY, ANY);
    FORMS[Opcode.SEND_WITH_IMMEDIATE] = send.withWords(0, 0, 0xffff_ffffL);
    FORMS[Opcode.FETCH_ADD] = atomic;
    FORMS[Opcode.SWAP] = atomic;
    FORMS[Opcode.COMPARE_SWAP] = atomic;
    FORMS[Opcode.INVALIDATE] = empty;
    FORMS[Opcode.BIND] = plain.withLength(0, Long.MAX_VALUE).withWords(KEY, PEER, ANY);
    FORMS[Opcode.SEND_UNTAGGED] = plain.withFlags(MESSAGE).withWords(ANY, ANY, 0xff_ffff_ffffL);
    FORMS[Opcode.SEND_TAGGED] = plain.withFlags(MESSAGE).withWords(0, ANY, 0xff);
    FORMS[Opcode.RECEIVE_UNTAGGED] = plain.withFlags(LIST).withWords(ANY, ANY, 0);
    FORMS[Opcode.TAGGED_NOTICE] = empty.withFlags(SendFlags.SIGNALLED);
  }

  /** The form of an opcode, 0 to 255; null if there is no such opcode. */
  static RequestForm of(int opcode) {
    return FORMS[opcode];
  }

  private RequestForm withFlags(int others) {
    return new RequestForm(others, qnBits, toBits, immediateBits, least, most);
  }

  private RequestForm withWords(int qn, long to, long immediate) {
    return new RequestForm(flags, qn, to, immediate, least, most);
  }

  private RequestForm withLength(long shortest, long longest) {
    return new RequestForm(flags, qnBits, toBits, immediateBits, shortest, longest);
  }
}
