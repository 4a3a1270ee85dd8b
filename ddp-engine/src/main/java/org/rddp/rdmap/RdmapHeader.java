package org.rddp.rdmap;

/**
 * The RDMAP Control Field, DDP's first octet for its user: version (2 bits), reserved (2), opcode
 * (4) (RFC 5040 section 4.1); and the queue that each kind of Untagged Message goes to.
 */
final class RdmapHeader {
  /** The version that we speak. */
  static final int VERSION = 1;

  /** RDMA Write: a Tagged Message. */
  static final int WRITE = 0;

  /** RDMA Read Request: on {@link #READ_QUEUE}. */
  static final int READ_REQUEST = 1;

  /** RDMA Read Response: a Tagged Message. */
  static final int READ_RESPONSE = 2;

  /** Send: on {@link #SEND_QUEUE}, like the three that follow it. */
  static final int SEND = 3;

  /** Send with Invalidate. */
  static final int SEND_INVALIDATE = 4;

  /** Send with Solicited Event. */
  static final int SEND_SOLICITED = 5;

  /** Send with Solicited Event and Invalidate. */
  static final int SEND_SOLICITED_INVALIDATE = 6;

  /** Terminate: on {@link #TERMINATE_QUEUE}. */
  static final int TERMINATE = 7;

  /** The Queue Number of Sends. */
  static final int SEND_QUEUE = 0;

  /** The Queue Number of RDMA Read Requests. */
  static final int READ_QUEUE = 1;

  /** The Queue Number of Terminates. */
  static final int TERMINATE_QUEUE = 2;

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

  /** The queue that a kind of Untagged Message goes to; -1 if the opcode is that of none. */
  static int queue(int opcode) {
    return switch (opcode) {
      case SEND, SEND_INVALIDATE, SEND_SOLICITED, SEND_SOLICITED_INVALIDATE -> SEND_QUEUE;
      case READ_REQUEST -> READ_QUEUE;
      case TERMINATE -> TERMINATE_QUEUE;
      default -> -1;
    };
  }

  /** Whether the opcode is that of a Send that invalidates an STag. */
  static boolean invalidates(int opcode) {
    return opcode == SEND_INVALIDATE || opcode == SEND_SOLICITED_INVALIDATE;
  }

  /** Whether the opcode is that of a Send that solicits an event. */
  static boolean solicits(int opcode) {
    return opcode == SEND_SOLICITED || opcode == SEND_SOLICITED_INVALIDATE;
  }
}
