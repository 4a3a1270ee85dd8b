package org.rddp.rdmap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.wire.Memory;

/**
 * The Atomic Request Header, which is the whole of an Atomic Request, and its response (RFC 7306
 * section 5).
 *
 * <pre>
 *   octet    0             4            8             12       20          28     36            44
 *   request  atomic opcode | identifier | remote STag | TO (8) | operand   | mask | compare (8) | compare mask
 *   answer   identifier    | value before (8)
 * </pre>
 *
 * <p>Operand and mask are for the add or swap; only a compare uses the last two fields.
 */
final class AtomicRequest {
  /** Octets of the request. */
  static final int LENGTH = 52; // RDMAPX-5.2-01

  /** Octets of the response. */
  static final int ANSWER_LENGTH = 12; // RDMAPX-5.2-02

  /** Octets of the operand in memory. */
  static final int OPERAND = 8;

  /** FetchAdd: adds and returns the old value. */
  static final int FETCH_ADD = 0; // RDMAPX-5.1.2-01

  /**
   * CmpSwap: replaces the value if it equals the expected one, and returns the old value. Opcode 1
   * is reserved.
   */
  static final int COMPARE_SWAP = 2; // RDMAPX-5.1.2-01

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
    INT.set(header, OPCODE, opcode); // RDMAPX-5.2-07
    INT.set(header, IDENTIFIER, identifier);
    INT.set(header, STAG, request.remoteStag());
    LONG.set(header, TO, request.remoteTo());
    LONG.set(header, DATA, request.operand());
    LONG.set(header, MASK, request.mask());
    LONG.set(header, COMPARE, request.compare());
    LONG.set(header, COMPARE_MASK, request.compareMask());
  }

  /** The operation; reserved bits are ignored. */
  static int opcode(byte[] request) {
    return (int) INT.get(request, OPCODE) & OPCODE_BITS; // RDMAPX-5.2-07
  }

  /** Whether the operation is known. */
  static boolean known(byte[] request) {
    int opcode = opcode(request);
    // RDMAPX-5.1-04; RDMAPX-5-02: "MUST implement both the FetchAdd operation"
    return opcode == FETCH_ADD || opcode == COMPARE_SWAP;
  }

  /** The requester's identifier. */
  static int identifier(byte[] request) {
    return (int) INT.get(request, IDENTIFIER);
  }

  /** Our STag of the memory. */
  static int stag(byte[] request) {
    return (int) INT.get(request, STAG);
  }

  /** Tagged Offset of the eight octets. */
  static long to(byte[] request) {
    return (long) LONG.get(request, TO);
  }

  /**
   * Executes a request, atomically even towards programs on this machine, and replaces it by its
   * response.
   *
   * @param address of eight octets in native byte order, a multiple of 8
   * @param tries how often a program may change the octets at the same moment
   * @return false, with no effect, if it has done so each time
   */
  static boolean execute(byte[] request, long address, int tries) {
    for (int i = 0; i < tries; i++) {
      long before = Memory.getLongVolatileNative(address);
      long after = result(request, before);
      // RDMAPX-5-04; RDMAPX-5.1-01: "read a 64-bit Original Remote Data Value"; RDMAPX-5-01: "MUST
      // be assured in the context of concurrent atomic accesses"
      if (Memory.compareAndSetLongNative(address, before, after)) {
        // RDMAPX-5.2-03: "set to the value specified in the Request Identifier field"
        INT.set(request, 0, identifier(request));
        LONG.set(request, ANSWER_VALUE, before);
        return true;
      }
    }
    return false;
  }

  /** The new value that a request computes from an old one. */
  static long result(byte[] request, long before) {
    long data = (long) LONG.get(request, DATA);
    long mask = (long) LONG.get(request, MASK);
    if (opcode(request) == FETCH_ADD) {
      // RDMAPX-5.1.1-01: "causing any carry out of that bit position to be discarded"
      return add(before, data, mask);
    }
    long compareMask = (long) LONG.get(request, COMPARE_MASK);
    long compare = (long) LONG.get(request, COMPARE);
    boolean expected = ((before ^ compare) & compareMask) == 0;
    // RDMAPX-5.1.3-01: "swap masked bits in the same ULP Buffer address with the masked Swap Data"
    return expected ? (before & ~mask) | (data & mask) : before;
  }

  /**
   * Adds bit fields separately: each set bit of {@code ends} is the top bit of a field, out of
   * which nothing is carried.
   */
  private static long add(long before, long data, long ends) {
    long sums = (before & ~ends) + (data & ~ends);
    return sums ^ ((before ^ data) & ends);
  }
}
