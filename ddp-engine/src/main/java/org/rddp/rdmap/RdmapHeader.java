package org.rddp.rdmap;

import org.rddp.ddp.segment.DdpErrorReport;

/**
 * The RDMAP Control Field, which is DDP's RsvdULP octet: version (2 bits), reserved (2), opcode (4)
 * (RFC 5040 section 4.1); and the queue of each kind of Untagged Message.
 */
final class RdmapHeader {
  /** RDMA Write: a Tagged Message. */
  // RDMAP-4.1-04: "the value of the RDMA Opcode field that MUST be used for each RDMA Message"
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

  /** Immediate Data: on {@link #SEND_QUEUE} (RFC 7306, like the three that follow). */
  static final int IMMEDIATE = 8; // RDMAPX-4-01: "Set to one of the values in Figure 2"

  /** Immediate Data with Solicited Event: on {@link #SEND_QUEUE}. */
  static final int IMMEDIATE_SOLICITED = 9;

  /** Atomic Request: on {@link #READ_QUEUE}. */
  static final int ATOMIC_REQUEST = 10;

  /** Atomic Response: on {@link #ATOMIC_RESPONSE_QUEUE}. */
  static final int ATOMIC_RESPONSE = 11;

  /**
   * Send with immediate data: on {@link #SEND_QUEUE}, with that in the place of the STag to
   * invalidate. No RFC has it; only between ends that have agreed on it when they started up.
   */
  static final int SEND_WITH_IMMEDIATE = 12;

  /** Send with immediate data and Solicited Event. */
  static final int SEND_WITH_IMMEDIATE_SOLICITED = 13;

  /** Not a message: a local operation in the send queue. */
  static final int NO_MESSAGE = 15;

  /** The Queue Number of Sends and Immediate Data. */
  static final int SEND_QUEUE = 0;

  /** The Queue Number of RDMA Read Requests and Atomic Requests. */
  static final int READ_QUEUE = 1;

  /** The Queue Number of Terminates. */
  static final int TERMINATE_QUEUE = 2;

  /** The Queue Number of Atomic Responses, the highest. */
  static final int ATOMIC_RESPONSE_QUEUE = 3;

  private static final int VERSION_SHIFT = 6;
  private static final int OPCODE = 0x0f;

  /** Offset of the Control Field in a DDP header. */
  private static final int CONTROL_FIELD = 1;

  private RdmapHeader() {}

  /** The version bits of the Control Field. RDMAP's version equals DDP's (section 4.1). */
  static int versionBits(int version) {
    // RDMAP-4.1-02; RDMAP-4.1-03: "MUST be set to zero by sender"; RDMAP-4.1-01: "MUST be used by
    // the RDMAP to carry the RDMAP Control Field"
    return version << VERSION_SHIFT;
  }

  /** The version in a Control Field, 0 to 3. */
  static int version(int control) {
    return control >>> VERSION_SHIFT;
  }

  /** The opcode in a Control Field, 0 to 15. */
  static int opcode(int control) {
    return control & OPCODE; // RDMAP-4.1-01, RDMAP-4.1-03
  }

  /** The queue of a kind of Untagged Message; -1 for all other opcodes. */
  static int queue(int opcode) {
    return switch (opcode) {
      // RDMAP-4.1-05: "MUST request that the DDP layer set the Queue Number field to zero"
      case SEND, SEND_INVALIDATE, SEND_SOLICITED, SEND_SOLICITED_INVALIDATE -> SEND_QUEUE;
      case IMMEDIATE, IMMEDIATE_SOLICITED -> SEND_QUEUE; // RDMAPX-6-01
      case SEND_WITH_IMMEDIATE, SEND_WITH_IMMEDIATE_SOLICITED -> SEND_QUEUE;
      // RDMAP-4.1-05; RDMAPX-5.2-01: "the same Queue Number as RDMA Read Requests (QN=1)"
      case READ_REQUEST, ATOMIC_REQUEST -> READ_QUEUE;
      case TERMINATE -> TERMINATE_QUEUE; // RDMAP-4.1-05
      // RDMAPX-5.2-02: "MUST set Queue Number (QN) to 3"
      case ATOMIC_RESPONSE -> ATOMIC_RESPONSE_QUEUE;
      default -> -1;
    };
  }

  /** Whether a segment belongs to an RDMA Read Response. */
  static boolean answersRead(DdpErrorReport segment) {
    return segment.tagged()
        && segment.headerComplete()
        && opcode(segment.header()[CONTROL_FIELD]) == READ_RESPONSE;
  }

  /** Whether the opcode is that of a Send that invalidates an STag. */
  static boolean invalidates(int opcode) {
    // RDMAPX-4-03: "Set to zero by the sender, ignored by the receiver"; RDMAP-4.1-06: "MUST be
    // used by RDMAP to carry the Invalidate STag"
    return opcode == SEND_INVALIDATE || opcode == SEND_SOLICITED_INVALIDATE;
  }

  /** Whether the opcode is that of a message that solicits an event. */
  static boolean solicits(int opcode) {
    return opcode == SEND_SOLICITED
        || opcode == SEND_SOLICITED_INVALIDATE
        || opcode == IMMEDIATE_SOLICITED
        || opcode == SEND_WITH_IMMEDIATE_SOLICITED;
  }

  /** Whether the opcode is that of a Send with immediate data. */
  static boolean sendsWithImmediate(int opcode) {
    return opcode == SEND_WITH_IMMEDIATE || opcode == SEND_WITH_IMMEDIATE_SOLICITED;
  }

  /** Whether the opcode is that of Immediate Data. */
  static boolean immediate(int opcode) {
    return opcode == IMMEDIATE || opcode == IMMEDIATE_SOLICITED;
  }
}
