package org.rddp.rdmap;

/**
 * The RDMAP Control Field, DDP's first octet for its user: version (2 bits), reserved (2), opcode
 * (4) (RFC 5040 section 4.1).
 */
final class RdmapHeader {
  /** The version that we speak. */
  static final int VERSION = 1;

  /** Opcode of an RDMA Write, a Tagged Message. */
  static final int WRITE = 0;

  /** Opcode of a Send, an Untagged Message on queue {@link #SEND_QUEUE}. */
  static final int SEND = 3;

  /** The Queue Number of Sends. */
  static final int SEND_QUEUE = 0;

  private static final int VERSION_SHIFT = 6;
  private static final int OPCODE = 0x0f;

  private RdmapHeader() {}

  /** The octet for an opcode. */
  static int control(int opcode) {
    return VERSION << VERSION_SHIFT | opcode;
  }

  /** The octet's version, 0 to 3. */
  static int version(int control) {
    return control >>> VERSION_SHIFT;
  }

  /** The octet's opcode, 0 to 15. */
  static int opcode(int control) {
    return control & OPCODE;
  }
}
