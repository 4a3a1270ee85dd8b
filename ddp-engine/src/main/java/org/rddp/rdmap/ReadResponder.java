package org.rddp.rdmap;

import org.rddp.ddp.AccessRights;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.TaggedBuffer;
import org.rddp.ddp.TaggedBuffers;
import org.rddp.mpa.Ulpdu;

/**
 * Answers the peer's RDMA Reads, in the order in which they come and with no program involved. The
 * memory is read when the answer is sent, so a buffer that is invalidated meanwhile is not read any
 * further.
 */
final class ReadResponder {
  private final DdpStream ddp;
  private final TaggedBuffers taggedBuffers;

  ReadResponder(DdpStream ddp, TaggedBuffers taggedBuffers) {
    this.ddp = ddp;
    this.taggedBuffers = taggedBuffers;
  }

  /**
   * Takes an RDMA Read Request.
   *
   * @param segment the segment that holds it
   * @param at where in the segment it begins
   * @return what is wrong with it, or null (RFC 5040 section 7.2)
   */
  RdmapError take(Ulpdu segment, int at) {
    long size = ReadRequest.size(segment, at);
    long to = ReadRequest.sourceTo(segment, at);
    TaggedBuffer source = null;
    if (size > 0) {
      source = taggedBuffers.lookup(ReadRequest.sourceStag(segment, at));
      RdmapError refusal = refusal(source, to, size);
      if (refusal != null) {
        return refusal;
      }
    }
    // Once our half is closed there is no way to answer; the peer will see it closed.
    ddp.postResponse(
        RdmapHeader.control(RdmapHeader.READ_RESPONSE),
        ReadRequest.sinkStag(segment, at),
        ReadRequest.sinkTo(segment, at),
        source,
        to,
        size);
    return null;
  }

  private RdmapError refusal(TaggedBuffer source, long to, long size) {
    if (source == null) {
      return RdmapError.INVALID_STAG;
    }
    if (!source.associatedWith(ddp)) {
      return RdmapError.STAG_NOT_ASSOCIATED;
    }
    if (!source.permits(AccessRights.REMOTE_READ)) {
      return RdmapError.ACCESS_RIGHTS;
    }
    if (TaggedBuffer.wraps(to, size)) {
      return RdmapError.TO_WRAP;
    }
    return source.contains(to, size) ? null : RdmapError.BASE_OR_BOUNDS;
  }
}
