package org.rddp.rdmap;

import java.nio.ByteBuffer;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.sending.UnsentResponse;
import org.rddp.mpa.Ulpdu;

/**
 * The RDMA Read Request Header, which is the whole of an RDMA Read Request (RFC 5040 section 4.4).
 *
 * <pre>
 *   octet  0          4                12          16           20                 28
 *          sink STag | sink TO (8)     | read size | source STag | source TO (8)   |
 * </pre>
 */
final class ReadRequest {
  /** Octets of the header. */
  static final int LENGTH = 28; // RDMAP-4.4-01: "MUST be used for all RDMA Read Request Messages"

  private static final int SINK_STAG = 0;
  private static final int SINK_TO = 4;
  private static final int SIZE = 12;
  private static final int SOURCE_STAG = 16;
  private static final int SOURCE_TO = 20;

  private ReadRequest() {}

  /** Writes the header of a read at the beginning of {@code buffer}. */
  static void write(ByteBuffer buffer, StreamRequest request) {
    write(
        buffer,
        request.localStag(),
        request.localTo(),
        request.length(),
        request.remoteStag(),
        request.remoteTo());
  }

  /** Writes a header at the beginning of {@code buffer}. */
  static void write(
      ByteBuffer buffer, int sinkStag, long sinkTo, long size, int sourceStag, long sourceTo) {
    buffer.putInt(SINK_STAG, sinkStag);
    buffer.putLong(SINK_TO, sinkTo);
    buffer.putInt(SIZE, (int) size);
    buffer.putInt(SOURCE_STAG, sourceStag);
    buffer.putLong(SOURCE_TO, sourceTo);
  }

  /**
   * The header of a partially answered request, for a Terminate: its unanswered part (RFC 5040
   * section 4.8).
   */
  static byte[] left(UnsentResponse unsent) {
    ByteBuffer header = ByteBuffer.allocate(LENGTH);
    write(
        header,
        unsent.stag(),
        unsent.to(),
        unsent.octets(), // RDMAP-5.2-05
        unsent.sourceStag(),
        unsent.sourceTo());
    return header.array();
  }

  /** The peer's STag of the Data Sink. */
  static int sinkStag(Ulpdu segment, int at) {
    return segment.getInt(at + SINK_STAG);
  }

  /** Tagged Offset of the first octet. */
  static long sinkTo(Ulpdu segment, int at) {
    return segment.getLong(at + SINK_TO);
  }

  /** Number of octets, 0 to 2^32-1. */
  static long size(Ulpdu segment, int at) {
    return Integer.toUnsignedLong(segment.getInt(at + SIZE));
  }

  /** Our STag of the Data Source. */
  static int sourceStag(Ulpdu segment, int at) {
    return segment.getInt(at + SOURCE_STAG);
  }

  /** Tagged Offset of the first octet. */
  static long sourceTo(Ulpdu segment, int at) {
    return segment.getLong(at + SOURCE_TO);
  }
}
