package org.rddp.ddp.receiving;

import org.rddp.ddp.memory.DomainMember;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.ddp.segment.SegmentHeader;
import org.rddp.mpa.Ulpdu;

/**
 * Checks whether the payload of a segment may be placed where its header says, and places it (RFC
 * 5041 section 7.1). All checks precede the copy: nothing of a bad segment is placed.
 */
public final class Placement {
  private final DomainMember stream;
  private final TaggedBuffers taggedBuffers;
  private final UntaggedQueues queues;

  public Placement(DomainMember stream, TaggedBuffers taggedBuffers, UntaggedQueues queues) {
    this.stream = stream;
    this.taggedBuffers = taggedBuffers;
    this.queues = queues;
  }

  /**
   * Places a tagged segment. An empty one is not checked.
   *
   * @param rights bits of {@link org.rddp.ddp.memory.AccessRights} that the placement needs
   * @return the error, in which case nothing has been placed; or null
   */
  DdpError tagged(SegmentHeader header, int rights, Ulpdu segment) {
    int octets = header.octets();
    if (octets == 0) { // DDP-5.2-12: "MUST NOT be checked for a zero-length Tagged DDP Message"
      return null;
    }
    TaggedBuffer buffer = taggedBuffers.lookup(header.stag());
    DdpError refusal = refusal(buffer, rights, header.to(), octets);
    if (refusal == null) {
      // DDP-5.2-04: "MUST Place the ULP Payload contained in all valid incoming DDP Segments";
      // DDP-4.1-02: "MUST be Placed into a Tagged Buffer"
      segment.copy(DdpHeader.TAGGED_LENGTH, buffer.addressOf(header.to()), octets);
    }
    return refusal;
  }

  private DdpError refusal(TaggedBuffer buffer, int rights, long to, int octets) {
    if (buffer == null) {
      // DDP-7.1-11; DDP-1.2-02: "has been previously Advertised to the Data Source"; DDP-4.2-04:
      // "The STag MUST be valid for this DDP Stream"; DDP-8.3-05: "MUST pass the invalid access
      // attempt to the ULP"
      return DdpError.INVALID_STAG;
    }
    if (!buffer.associatedWith(stream)) {
      // DDP-7.2-03; DDP-8.2-01, DDP-8.2-02: "MUST surface a local error to the ULP"; DDP-7.1-11:
      // "The STag is valid for this stream"
      return DdpError.STAG_NOT_ASSOCIATED;
    }
    if (!buffer.permits(rights)) {
      // RDMAP-5.1-02; DDP-7.1-12: "The STag has an associated buffer that allows Placement of the
      // payload"
      return DdpError.INVALID_STAG;
    }
    if (TaggedBuffer.wraps(to, octets)) {
      return DdpError.TO_WRAP; // DDP-7.1-15
    }
    // DDP-7.1-13, DDP-7.1-14, DDP-8.1-01, DDP-8.3.1-01
    return buffer.contains(to, octets) ? null : DdpError.BASE_OR_BOUNDS;
  }

  /**
   * Places an untagged segment, in order, for a queue of posted buffers.
   *
   * @param segment null if it was placed early
   * @param head length of a message that needs no memory, 0 for none
   * @return the error, in which case nothing has been placed; or null
   */
  DdpError untagged(SegmentHeader header, Ulpdu segment, int head) {
    UntaggedQueue queue = queues.buffered(header.qn());
    DdpError refusal = queue.refusal(header.msn());
    if (refusal != null) {
      return refusal;
    }
    ReceiveBuffer buffer = queue.buffer(header.msn());
    refusal = buffer.refusal(header.mo(), header.octets(), header.last(), head);
    if (refusal == null && segment != null) {
      buffer.place(header, segment, head);
    }
    return refusal;
  }

  /**
   * Places an untagged segment early unless a check fails.
   *
   * @param head length of a message that needs no memory, 0 for none
   * @return whether it was placed
   */
  boolean untaggedEarly(SegmentHeader header, Ulpdu segment, int head) {
    int qn = header.qn();
    UntaggedQueue queue = queues.has(qn) ? queues.buffered(qn) : null;
    if (queue == null || queue.refusal(header.msn()) != null) {
      return false;
    }
    ReceiveBuffer buffer = queue.buffer(header.msn());
    if (buffer.complete()
        || buffer.boundsRefusal(header.mo(), header.octets(), header.last(), head) != null) {
      return false;
    }
    buffer.place(header, segment, head);
    return true;
  }
}
