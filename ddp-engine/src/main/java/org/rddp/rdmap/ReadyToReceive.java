package org.rddp.rdmap;

import java.nio.ByteBuffer;
import org.rddp.ddp.DdpStream;
import org.rddp.mpa.Rtr;

/**
 * The message without octets by which an Initiator says that it is ready to receive (RFC 6581
 * section 5): sent before anything that its program has posted, expected as the Responder's first
 * message, and known to neither program. Its STags and Tagged Offsets name nothing.
 */
final class ReadyToReceive {
  /** What DDP knows the Responder's buffer for a Send by: no receive of a program. */
  static final long ID = -2;

  /** An STag that need not exist. */
  private static final int ANY = 1;

  /** What was settled, or null. */
  private Rtr kind;

  /** Whether the Responder still waits for it. */
  private boolean awaited;

  /** Whether the Initiator's RDMA Read has not been answered. */
  private boolean unanswered;

  /** Full Operation has begun. */
  void start(DdpStream ddp) {
    kind = ddp.rtr();
    if (kind != null && ddp.initiator()) {
      send(ddp);
    } else if (kind != null) {
      awaited = true;
      if (kind == Rtr.SEND) {
        ddp.expectFirst(RdmapHeader.SEND_QUEUE, ID);
      }
    }
  }

  private void send(DdpStream ddp) {
    switch (kind) {
      case WRITE -> ddp.sendFirst(RdmapHeader.WRITE, ANY);
      case SEND -> ddp.sendFirst(RdmapHeader.SEND, RdmapHeader.SEND_QUEUE, new byte[0]);
      case READ -> {
        unanswered = true;
        ByteBuffer request = ByteBuffer.allocate(ReadRequest.LENGTH);
        ReadRequest.write(request, ANY, 0, 0, ANY, 0);
        ddp.sendFirst(RdmapHeader.READ_REQUEST, RdmapHeader.READ_QUEUE, request.array());
      }
    }
  }

  /**
   * Whether a segment may come now: it is the one that is awaited, or none is, or it says why none
   * will come. Changes nothing: segments before their turn are asked about, too.
   *
   * @param octets of payload; 0 for an untagged one, whose octets have their own checks
   */
  boolean admits(int opcode, int octets, boolean last) {
    if (!awaited || opcode == RdmapHeader.TERMINATE) {
      return true;
    }
    int expected =
        switch (kind) {
          case WRITE -> RdmapHeader.WRITE;
          case READ -> RdmapHeader.READ_REQUEST;
          case SEND -> RdmapHeader.SEND;
        };
    return opcode == expected && octets == 0 && last;
  }

  /** Whether an RDMA Read may have so many octets: the one that is awaited has none. */
  boolean admitsRead(long size) {
    return !awaited || size == 0;
  }

  /** A message that was admitted is whole and has its turn: the one awaited, if one was. */
  void received() {
    awaited = false;
  }

  /** What is wrong with a first message that is not the one awaited. */
  String mismatch() {
    return "the first message is no zero-length " + kind + ", the RTR that was settled";
  }

  /** Whether the Initiator's RDMA Read has not been answered, so that no other may start. */
  boolean unanswered() {
    return unanswered;
  }

  /** The Initiator's RDMA Read has been answered. */
  void answered() {
    unanswered = false;
  }
}
