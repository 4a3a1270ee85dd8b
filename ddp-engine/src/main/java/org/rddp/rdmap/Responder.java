package org.rddp.rdmap;

import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;

/**
 * Answers the peer's RDMA Reads and atomics, in order and without the program. Memory is read or
 * changed when the response is sent, so a buffer that is invalidated meanwhile is no longer
 * accessed.
 */
final class Responder {
  /**
   * Most tries of an atomic: a program of this machine that changes the same octets all the time
   * must not keep the engine from its other work. With 64 cores that do so, the first try succeeds
   * once in some 64.
   */
  private static final int TRIES = 4096;

  private final DdpStream ddp;
  private final TaggedBuffers taggedBuffers;

  /**
   * IRD: the most reads, and likewise the most atomics, of the peer that may wait for their
   * response.
   */
  private int ird;

  private int reads;
  private int atomics;

  private int readRights = AccessRights.REMOTE_READ;
  private int atomicRights = AccessRights.REMOTE_ATOMIC;

  /** Why the last atomic was refused. */
  private RdmapError refused;

  Responder(DdpStream ddp, TaggedBuffers taggedBuffers) {
    this.ddp = ddp;
    this.taggedBuffers = taggedBuffers;
  }

  /** See {@link RdmapStream#withhold}. */
  void withhold(int rights) {
    readRights = AccessRights.needed(AccessRights.REMOTE_READ, rights);
    atomicRights = AccessRights.needed(AccessRights.REMOTE_ATOMIC, rights);
  }

  /** Sets IRD as both ends have agreed. */
  void limit(int most) {
    ird = most;
  }

  /**
   * Whether as many Reads as agreed wait for their response. Atomics are counted separately: their
   * buffers are in addition to those for Reads (RFC 7306 section 5.2.2 item 4).
   */
  boolean readsFull() {
    // RDMAP-8.1.1-11; RDMAP-5.2-02: "MUST NOT exceed the maximum number of outstanding, inbound
    // RDMA Read Requests"
    return reads >= ird;
  }

  /** Whether as many atomics as agreed wait for their response. */
  boolean atomicsFull() {
    return atomics >= ird; // RDMAPX-5.2-08
  }

  /** Counts a response that has been passed to TCP. */
  void answered(int opcode) {
    if (opcode == RdmapHeader.READ_RESPONSE) {
      reads--;
    } else {
      atomics--;
    }
  }

  /**
   * Takes an RDMA Read Request.
   *
   * @param segment the segment that holds it
   * @param at its offset in the segment
   * @return the error, or null (RFC 5040 section 7.2)
   */
  RdmapError takeRead(Ulpdu segment, int at) {
    long size = ReadRequest.size(segment, at);
    long to = ReadRequest.sourceTo(segment, at);
    TaggedBuffer source = null;
    if (size > 0) { // RDMAP-4.4-02: "MUST respond with a zero-length RDMA Read Response Message"
      source = taggedBuffers.lookup(ReadRequest.sourceStag(segment, at));
      RdmapError refusal = refusal(source, to, size, readRights); // RDMAP-7.2-01
      if (refusal != null) {
        return refusal;
      }
    }
    reads++;
    // A response cannot be posted once our half is closed; the peer will see the close.
    ddp.sender()
        // RDMAP-5.2-08: "it MUST respond with a valid RDMA Read Response Message"; RDMAP-5.2-06:
        // "MUST consist of a single RDMA Read Request Message and a single RDMA Read Response
        // Message"; RDMAP-5.2-03: "it is processed by the RDMAP layer"; RDMAP-5.2-10: "in the order
        // they were sent"; RDMAP-5.5-13: "in the order the RDMA Read Request Messages were
        // Delivered by DDP"; RDMAPX-5.3-02.
        .postResponse(
            RdmapHeader.READ_RESPONSE,
            // RDMAP-4.5-01: "MUST be copied, without interpretation"
            ReadRequest.sinkStag(segment, at),
            ReadRequest.sinkTo(segment, at),
            source,
            to,
            size,
            segment);
    return null;
  }

  /** Takes an Atomic Request; it is processed when its response is to be sent. */
  void takeAtomic(Ulpdu segment, int at) {
    atomics++;
    ddp.sender()
        // RDMAPX-5.2-04; RDMAPX-5.3-02: "in the order that the Atomic Operation Request Messages
        // were received"; RDMAPX-5.2-06: "in the order they were sent"
        .postDeferredResponse(
            RdmapHeader.ATOMIC_RESPONSE,
            RdmapHeader.ATOMIC_RESPONSE_QUEUE,
            segment,
            at,
            AtomicRequest.LENGTH);
  }

  /**
   * Executes an atomic and replaces the request by the response.
   *
   * @return false, with no effect, if it was refused; {@link #refused} has the error
   */
  boolean answerAtomic(byte[] request) {
    long to = AtomicRequest.to(request);
    TaggedBuffer target = taggedBuffers.lookup(AtomicRequest.stag(request));
    // RDMAPX-5.1-02, RDMAPX-5.1-03
    refused = refusal(target, to, AtomicRequest.OPERAND, atomicRights);
    if (refused == null && !AtomicRequest.known(request)) {
      // RDMAPX-5.1-04: "an Atomic Operation Code that the RNIC does not support"
      refused = RdmapError.UNEXPECTED_OPCODE;
    }
    // RDMAPX-5.1-04: "not 64-bit aligned MUST be surfaced as errors"; RDMAPX-5.1-05: "MUST target
    // ULP Buffer addresses that are 64-bit aligned"
    if (refused == null && (target.addressOf(to) & AtomicRequest.OPERAND - 1) != 0) {
      refused = RdmapError.STREAM_CATASTROPHIC;
    }
    if (refused != null) {
      return false;
    }
    if (!AtomicRequest.execute(request, target.addressOf(to), TRIES)) {
      refused = RdmapError.STREAM_CATASTROPHIC;
      return false;
    }
    return true;
  }

  /** Why the last atomic was refused. */
  RdmapError refused() {
    return refused;
  }

  private RdmapError refusal(TaggedBuffer buffer, long to, long size, int rights) {
    if (buffer == null) {
      return RdmapError.INVALID_STAG; // RDMAP-7.2-01: "The Data Source STag MUST be valid"
    }
    if (!buffer.associatedWith(ddp)) {
      return RdmapError.STAG_NOT_ASSOCIATED; // RDMAP-7.2-01, RDMAP-8.1.1-01, RDMAP-8.1.1-02
    }
    if (!buffer.permits(rights)) {
      return RdmapError.ACCESS_RIGHTS; // RDMAP-7.2-01, RDMAP-8.1.1-05
    }
    if (TaggedBuffer.wraps(to, size)) {
      // RDMAP-7.2-01: "MUST NOT cause the Data Source Tagged Offset to wrap"
      return RdmapError.TO_WRAP;
    }
    // RDMAP-8.1.1-03; RDMAP-7.2-01: "MUST fall in the range of legal offsets"
    return buffer.contains(to, size) ? null : RdmapError.BASE_OR_BOUNDS;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(Responder.class);
    ird = snapshot.number("ird", ird);
    reads = snapshot.number("reads", reads);
    atomics = snapshot.number("atomics", atomics);
    readRights = snapshot.number("readRights", readRights);
    atomicRights = snapshot.number("atomicRights", atomicRights);
    snapshot.end();
  }
}
