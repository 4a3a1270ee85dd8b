package org.rddp.rdmap;

import java.nio.ByteBuffer;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.Ulpdu;

/**
 * Processes the peer's messages that need no buffer of the program and are read in place: RDMA Read
 * Requests, Atomic Requests and Responses, and Terminates.
 */
final class InPlaceMessages {
  private final ReadyToReceive rtr;
  private final Requester requester;
  private final Responder responder;
  private final Termination termination;

  InPlaceMessages(
      ReadyToReceive rtr, Requester requester, Responder responder, Termination termination) {
    this.rtr = rtr;
    this.requester = requester;
    this.responder = responder;
    this.termination = termination;
  }

  /**
   * Processes a message.
   *
   * @param opcode an opcode whose queue is read in place
   * @param segment the segment that holds the whole message
   * @param from its offset in the segment
   */
  void take(int opcode, Ulpdu segment, int from, int octets) {
    switch (opcode) {
      case RdmapHeader.READ_REQUEST -> takeReadRequest(segment, from, octets);
      case RdmapHeader.ATOMIC_REQUEST -> takeAtomicRequest(segment, from, octets);
      case RdmapHeader.ATOMIC_RESPONSE -> takeAtomicResponse(segment, from, octets);
      default -> takeTerminate(segment, from, octets);
    }
  }

  private void takeReadRequest(Ulpdu segment, int from, int octets) {
    if (responder.readsFull()) {
      refuseForWantOfBuffer(segment); // RDMAP-5.2-02
      return;
    }
    // RDMAP-4.4-01; RDMAP-4.2-01: "which RDMA Messages are allowed to carry ULP Payload"
    if (octets != ReadRequest.LENGTH) {
      termination.fail(RdmapError.UNSPECIFIED, DdpErrorReport.of(segment));
      return;
    }
    if (!rtr.admitsRead(ReadRequest.size(segment, from))) {
      termination.llpFailed(MpaError.NO_MATCHING_RTR, rtr.mismatch());
      return;
    }
    rtr.received();
    RdmapError error = responder.takeRead(segment, from);
    if (error != null) {
      // RDMAP-4.8-02; RDMAP-7.1-02: "Terminated DDP Header, and Terminated RDMA Header fields are
      // included"
      termination.fail(error, DdpErrorReport.of(segment), copy(segment, from, ReadRequest.LENGTH));
    }
  }

  private static byte[] copy(Ulpdu segment, int from, int octets) {
    byte[] copy = new byte[octets];
    for (int i = 0; i < octets; i++) {
      copy[i] = (byte) segment.getByte(from + i);
    }
    return copy;
  }

  /** Refuses a request beyond the agreed number, with DDP's error (RFC 5040 section 6.1). */
  private void refuseForWantOfBuffer(Ulpdu segment) {
    termination.ddpFailed(DdpError.NO_BUFFER, DdpErrorReport.of(segment)); // RDMAP-5.2-02
  }

  private void takeAtomicRequest(Ulpdu segment, int from, int octets) {
    if (responder.atomicsFull()) {
      refuseForWantOfBuffer(segment);
    } else if (octets == AtomicRequest.LENGTH) { // RDMAPX-5.2-01
      responder.takeAtomic(segment, from);
    } else {
      termination.fail(RdmapError.UNSPECIFIED, DdpErrorReport.of(segment));
    }
  }

  private void takeAtomicResponse(Ulpdu segment, int from, int octets) {
    RdmapError error = requester.takeAtomic(segment, from, octets);
    if (error != null) {
      termination.fail(error, DdpErrorReport.of(segment)); // RDMAPX-5.2-10, RDMAPX-8.1-01
    }
  }

  private void takeTerminate(Ulpdu segment, int from, int octets) {
    ByteBuffer terminate = ByteBuffer.wrap(copy(segment, from, octets));
    if (!Terminate.wellFormed(terminate)) { // RDMAP-5.4-05
      termination.fail(RdmapError.UNSPECIFIED, DdpErrorReport.of(segment));
      return;
    }
    termination.terminated(Terminate.read(terminate));
  }
}
