package org.rddp.rdmap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Immediate Data: a message of eight octets (RFC 7306 section 6). */
final class ImmediateData {
  /** Octets of the message. */
  // RDMAPX-6-01: "MUST request that the DDP layer transmit 8 bytes of data"
  static final int LENGTH = 8;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private ImmediateData() {}

  /** Encodes {@code data} at the beginning of an array. */
  static void write(byte[] octets, long data) {
    LONG.set(octets, 0, data);
  }

  /** The opcode for {@link RdmapFlags}. */
  static int opcode(int flags) {
    // RDMAPX-6-02
    return RdmapFlags.solicited(flags) ? RdmapHeader.IMMEDIATE_SOLICITED : RdmapHeader.IMMEDIATE;
  }
}
