package org.rddp.rdmap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.wire.Memory;

/**
 * The Atomic Request Header, which is all of an Atomic Request, and the answer to it (RFC 7306
 * section 5).
 *
 * <pre>
 *   octet    0             4            8             12       20          28     36            44
 *   request  atomic opcode | identifier | remote STag | TO (8) | operand   | mask | compare (8) | compare mask
 *   answer   identifier    | value before (8)
 * </pre>
 *
 * <p>Operand and mask are what is added or swapped in; only a comparison looks at the last two.
 */
final class AtomicRequest {
  /** Octets of the request. */
  static final int LENGTH = 52;

  /** Octets of the answer. */
  static final int ANSWER_LENGTH = 12;

  /** Octets that it works on. */
  static final int OPERAND = 8;

  /** Adds, and returns what was there. */
  static final int FETCH_ADD = 0;

  /** Replaces if what is there is as expected, and returns what was there; 1 is no operation. */
  static final int COMPARE_SWAP = 2;

  private static final int OPCODE = 0;
  private static final int IDENTIFIER = 4;
  private static final int STAG = 8;
  private static final int TO = 12;
  private static final int DATA = 20;
  private static final int MASK = 28;
  private static final int COMPARE = 36;
  private static final int COMPARE_MASK = 44;
  private static final int ANSWER_VALUE = 4;
  private static final int OPCODE_BITS = 0x0f;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private AtomicRequest() {}

  /** Writes the header of an atomic at the beginning of an array. */
  static void write(byte[] header, int opcode, int identifier, StreamRequest request) {
    INT.set(header, OPCODE, opcode);
    INT.set(header, IDENTIFIER, identifier);
    INT.set(header, STAG, request.remoteStag());
    LONG.set(header, TO, request.remoteTo());
    LONG.set(header, DATA, request.operand());
    LONG.set(header, MASK, request.mask());
    LONG.set(header, COMPARE, request.compare());
    LONG.set(header, COMPARE_MASK, request.compareMask());
  }

  /** What is to be done; the reserved bits around it are not looked at. */
  static int opcode(byte[] request) {
    return (int) INT.get(request, OPCODE) & OPCODE_BITS;
  }

  /** Whether there is such an operation. */
  static boolean known(byte[] request) {
    int opcode = opcode(request);
    return opcode == FETCH_ADD || opcode == COMPARE_SWAP;
  }

  /** The requester's number. */
  static int identifier(byte[] request) {
    return (int) INT.get(request, IDENTIFIER);
  }

  /** Our name for the memory. */
  static int stag(byte[] request) {
    return (int) INT.get(request, STAG);
  }

  /** Tagged Offset there of the eight octets. */
  static long to(byte[] request) {
    return (long) LONG.get(request, TO);
  }

  /** Makes the answer of a request, in place. */
  static void answer(byte[] request, long before) {
    INT.set(request, 0, identifier(request));
    LONG.set(request, ANSWER_VALUE, before);
  }

  /**
   * Does what a request asks, in one step also for the programs of this machine.
   *
   * @param address of eight octets that hold a number in the machine's order, a multiple of 8
   * @return the number before
   */
  static long apply(byte[] request, long address) {
    while (true) {
      long before = Memory.getLongVolatileNative(address);
      long after = result(request, before);
      if (Memory.compareAndSetLongNative(address, before, after)) {
        return before;
      }
    }
  }

  /** The number that a request makes of another. */
  static long result(byte[] request, long before) {
    long data = (long) LONG.get(request, DATA);
    long mask = (long) LONG.get(request, MASK);
    if (opcode(request) == FETCH_ADD) {
      return add(before, data, mask);
    }
    long compareMask = (long) LONG.get(request, COMPARE_MASK);
    long compare = (long) LONG.get(request, COMPARE);
    boolean expected = ((before ^ compare) & compareMask) == 0;
    return expected ? (before & ~mask) | (data & mask) : before;
  }

  /** Adds fields of bits, each ending with a bit of the mask, which nothing is carried out of. */
  private static long add(long before, long data, long ends) {
    long sums = (before & ~ends) + (data & ~ends);
    return sums ^ ((before ^ data) & ends);
  }
}
