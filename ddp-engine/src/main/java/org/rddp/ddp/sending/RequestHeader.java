package org.rddp.ddp.sending;

import java.nio.ByteBuffer;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;

/**
 * The header of a segment that requested a response. It is kept until the response has been sent:
 * if that fails, the Terminate names the request (RFC 5040 section 4.8). Reused.
 */
final class RequestHeader {
  private long start;
  private long middle;
  private int end;
  private int segmentLength;

  /** Keeps the header of an untagged segment. */
  void set(Ulpdu segment) {
    start = segment.getLong(0);
    middle = segment.getLong(Long.BYTES);
    end = segment.getShort(2 * Long.BYTES);
    segmentLength = segment.length();
  }

  /** The segment, for the report of an error. */
  DdpErrorReport report() {
    ByteBuffer header = ByteBuffer.allocate(DdpHeader.UNTAGGED_LENGTH);
    header.putLong(start).putLong(middle).putShort((short) end);
    return DdpErrorReport.untagged(header.array(), segmentLength); // RDMAP-7.1-02
  }

  /** Transfers a header. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(RequestHeader.class);
    start = snapshot.number("start", start);
    middle = snapshot.number("middle", middle);
    end = snapshot.number("end", end);
    segmentLength = snapshot.number("segmentLength", segmentLength);
    snapshot.end();
  }
}
