package org.rddp.rdmap;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.rddp.ddp.DdpStream;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.Rtr;
import org.rddp.snapshot.Snapshot;

/**
 * The Ready to Receive message (RTR), a zero-length message (RFC 6581 section 5): the Initiator
 * sends it before anything posted, the Responder expects it as its first message, and both hide it
 * from their programs. Its STags and Tagged Offsets name nothing.
 */
final class ReadyToReceive {
  /** The token of the Responder's buffer for an RTR that is a Send; no posted receive has it. */
  static final long TOKEN = -2;

  /** An arbitrary STag, which need not exist. */
  private static final int ANY = 1;

  /** Initiator: the kind that it sends. Responder: the kinds of which it expects one. */
  private Set<Rtr> kinds = Set.of();

  /** Whether the Responder still waits for the RTR. */
  private boolean awaited;

  /** Whether the Initiator still waits for the response to an RTR that is an RDMA Read. */
  private boolean unanswered;

  private DdpStream ddp;

  /** Starts, when Full Operation has begun. */
  void start(DdpStream stream, MpaConnection connection) {
    ddp = stream;
    kinds = connection.negotiated().rtr();
    if (connection.initiator()) {
      // P2P-9.2-04; P2P-5-02: "MUST NOT allow any later FULPDUs to be transmitted before the RTR
      // indication"
      kinds.forEach(this::send);
    } else {
      awaited = !kinds.isEmpty(); // P2P-9.2-05
      if (kinds.contains(Rtr.SEND)) {
        ddp.queues().buffered(RdmapHeader.SEND_QUEUE).expectFirst(TOKEN); // P2P-5-01
      }
    }
  }

  private void send(Rtr kind) {
    switch (kind) {
      case WRITE -> ddp.sender().sendFirst(RdmapHeader.WRITE, ANY); // P2P-5-01
      // P2P-5-01
      case SEND -> ddp.sender().sendFirst(RdmapHeader.SEND, RdmapHeader.SEND_QUEUE, new byte[0]);
      case READ -> {
        unanswered = true;
        ByteBuffer request = ByteBuffer.allocate(ReadRequest.LENGTH);
        ReadRequest.write(request, ANY, 0, 0, ANY, 0); // P2P-5-01
        ddp.sender().sendFirst(RdmapHeader.READ_REQUEST, RdmapHeader.READ_QUEUE, request.array());
      }
    }
  }

  /**
   * Whether a segment is allowed now: no RTR is awaited, or the segment is the RTR, or a Terminate.
   * Has no side effects, since it is also called for segments received out of order.
   *
   * @param octets of payload; 0 for an untagged segment, whose length is checked elsewhere
   */
  boolean admits(int opcode, int octets, boolean last) {
    if (!awaited || opcode == RdmapHeader.TERMINATE) { // P2P-9.2-07
      return true;
    }
    boolean named =
        switch (opcode) {
          case RdmapHeader.WRITE -> kinds.contains(Rtr.WRITE);
          case RdmapHeader.READ_REQUEST -> kinds.contains(Rtr.READ);
          case RdmapHeader.SEND -> kinds.contains(Rtr.SEND);
          default -> false;
        };
    return named && octets == 0 && last; // P2P-9.2-03, P2P-9.2-08
  }

  /**
   * Whether an untagged segment may be placed before what precedes it: not while an RTR is awaited,
   * since its kind determines which buffer the first Send goes to.
   */
  boolean admitsEarly() {
    return !awaited;
  }

  /** Whether an RDMA Read of {@code size} octets is allowed: an awaited RTR has size 0. */
  boolean admitsRead(long size) {
    return !awaited || size == 0;
  }

  /** Records a completely received, admitted message: the RTR, if that was awaited. */
  void received() {
    if (awaited) {
      awaited = false;
      if (kinds.contains(Rtr.SEND)) {
        ddp.queues().buffered(RdmapHeader.SEND_QUEUE).expectFirstNoMore();
      }
    }
  }

  /** Describes the error of a first message that is not the RTR. */
  String mismatch() {
    return "the first message is no RTR that was settled: zero-length " + kinds;
  }

  /** Whether the RTR is an RDMA Read without response yet, so that no other read may start. */
  boolean unanswered() {
    return unanswered;
  }

  /** Records the response to the RTR. */
  void answered() {
    unanswered = false;
  }

  /**
   * Transfers its state.
   *
   * @param stream whose it is
   */
  void transfer(Snapshot snapshot, DdpStream stream) {
    snapshot.begin(ReadyToReceive.class);
    ddp = stream;
    Set<Rtr> all = EnumSet.noneOf(Rtr.class);
    for (Rtr each : Rtr.values()) {
      if (snapshot.flag("kinds", kinds.contains(each))) {
        all.add(each);
      }
    }
    kinds = all;
    awaited = snapshot.flag("awaited", awaited);
    unanswered = snapshot.flag("unanswered", unanswered);
    snapshot.end();
  }
}
