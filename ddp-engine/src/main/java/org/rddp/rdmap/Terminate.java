package org.rddp.rdmap;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.segment.DdpHeader;

/**
 * The Terminate Header: the layer and number of the error that ended the stream, and the headers of
 * the segment with the error (RFC 5040 section 4.8).
 *
 * <pre>
 *   octet  0               1            2            4                  6
 *          layer, error    | error code | M D R      | DDP segment      | DDP header (14 or 18, if D),
 *          type (4 bits)   |            | (3 bits)   | length (2, if M) | Read Request header (28, if R)
 * </pre>
 */
final class Terminate {
  /** What the segment with the error is of. */
  enum Named {
    /** A read or an atomic of ours. */
    REQUEST,
    /** A message of ours to the peer's receives. */
    SEND,
    /** A write of ours. */
    WRITE,
    /** Nothing that the peer has named, or nothing that we have posted. */
    NOTHING
  }

  /** Octets of the longest Terminate. */
  static final int MAX_LENGTH = 6 + 18 + ReadRequest.LENGTH;

  /** Octets of the shortest. */
  static final int MIN_LENGTH = 4;

  private static final int M = 0x80;
  private static final int D = 0x40;
  private static final int R = 0x20;

  /**
   * M and D, and all three, in siw's positions: siw counts bits from the other end of the octet.
   */
  private static final int SIWS_M_D = 0x03;

  private static final int SIWS_M_D_R = 0x07;

  /** Offset of the octet with M, D and R. */
  private static final int FLAGS = 2;

  /**
   * Offset of the DDP header, behind the DDP segment length; then offsets of its fields, of which
   * STag and Tagged Offset are those of a tagged segment.
   */
  private static final int HEADER = 6;

  private static final int RSVD_ULP = 1;
  private static final int STAG = 2;
  private static final int QN = 6;
  private static final int TO = 6;
  private static final int MSN = 10;

  /** Error Type of RDMAP and DDP: a local error. */
  private static final int LOCAL_CATASTROPHIC = 0;

  /** Error Type of RDMAP: the requested access is not allowed. */
  private static final int REMOTE_PROTECTION = 1;

  /** Error Type of DDP: the same of a tagged segment. */
  private static final int TAGGED_BUFFER = 1;

  /** Known errors: layer, type, first and last code (RFC 5040 section 4.8, Figure 10). */
  private static final int[][] KNOWN = {
    {RdmapHandler.LAYER_RDMAP, LOCAL_CATASTROPHIC, 0, 0xff}, // with any code
    {RdmapHandler.LAYER_RDMAP, REMOTE_PROTECTION, 0, 4},
    {RdmapHandler.LAYER_RDMAP, REMOTE_PROTECTION, 9, 9},
    {RdmapHandler.LAYER_RDMAP, REMOTE_PROTECTION, 0xff, 0xff},
    {RdmapHandler.LAYER_RDMAP, 2, 5, 9},
    {RdmapHandler.LAYER_RDMAP, 2, 0xff, 0xff},
    {RdmapHandler.LAYER_DDP, 0, 0, 0},
    {RdmapHandler.LAYER_DDP, 1, 0, 4},
    {RdmapHandler.LAYER_DDP, 2, 1, 6},
    {RdmapHandler.LAYER_LLP, 0, 1, 7},
  };

  private final int layer;
  private final int type;
  private final int code;

  private Named named = Named.NOTHING;
  private int msn;
  private int stag;
  private long to;

  private Terminate(int layer, int type, int code) {
    this.layer = layer;
    this.type = type;
    this.code = code;
  }

  /**
   * Encodes a Terminate. A local catastrophic error names no segment, whatever its cause (Figure
   * 10), nor does an error of MPA.
   *
   * @param report the segment with the error, or null if there is none
   * @param readRequest its RDMA Read Request Header, or an empty array if it has none
   */
  static byte[] encode(int layer, int type, int code, DdpErrorReport report, byte[] readRequest) {
    ByteBuffer octets = ByteBuffer.allocate(MAX_LENGTH);
    // RDMAP-4.8-01: "The Terminate Control field MUST have the format defined in Figure 8"
    octets.put((byte) (layer << 4 | type)).put((byte) code);
    if (report == null || type == LOCAL_CATASTROPHIC || !report.headerComplete()) { // RDMAP-4.8-05
      octets.putShort((short) 0);
    } else {
      // RDMAP-4.8-05, RDMAP-7.1-02; RDMAPX-8.1-01: "Terminated DDP Header fields are included in
      // the Terminate Message"; RDMAP-4.8-02: "It MUST be present if the R bit is set"
      int flags = M | D | (readRequest.length > 0 ? R : 0);
      octets.put((byte) flags).put((byte) 0); // RDMAP-4.8-06: "MUST be set to zero on transmit"
      octets.putShort((short) report.segmentLength());
      octets.put(report.header()).put(readRequest);
    }
    byte[] whole = new byte[octets.position()];
    octets.flip().get(whole);
    return whole;
  }

  /** The error for people to read: its name, if known, with layer, type and code. */
  String description() {
    String name =
        switch (layer) {
          case RdmapHandler.LAYER_RDMAP ->
              Arrays.stream(RdmapError.values())
                  .filter(error -> error.type() == type)
                  .filter(error -> type == LOCAL_CATASTROPHIC || error.code() == code)
                  .map(RdmapError::title)
                  .findFirst()
                  .orElse("an error of RDMAP");
          case RdmapHandler.LAYER_DDP ->
              Arrays.stream(DdpError.values())
                  .filter(error -> error.type() == type && error.code() == code)
                  .map(DdpError::title)
                  .findFirst()
                  .orElse("an error of DDP");
          case RdmapHandler.LAYER_LLP -> "an error of MPA";
          default -> "an error of a layer that does not exist";
        };
    return String.format("%s (%d/%d/%02x)", name, layer, type, code);
  }

  /**
   * Whether a Terminate has the headers that its M, D and R announce (sections 4.2 and 4.8).
   *
   * @param octets from 0 to the limit
   */
  static boolean wellFormed(ByteBuffer octets) {
    int length = octets.limit();
    if (length < MIN_LENGTH || mirrored(octets)) {
      return length >= MIN_LENGTH;
    }
    int flags = octets.get(FLAGS);
    int announced = (flags & (M | D)) == 0 ? MIN_LENGTH : HEADER;
    if ((flags & D) != 0) {
      boolean tagged = length > HEADER && DdpHeader.tagged(octets.get(HEADER));
      announced += tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
    }
    announced += (flags & R) == 0 ? 0 : ReadRequest.LENGTH;
    // Section 7.1 lets a peer send missing headers as zeros.
    return length >= announced; // RDMAP-4.2-01, RDMAP-5.4-05
  }

  /**
   * Whether headers follow and M and D are in siw's positions. A Terminate that conforms to the RFC
   * has no headers then, so its reserved bits do not matter.
   */
  private static boolean mirrored(ByteBuffer octets) {
    int flags = octets.get(FLAGS);
    return (flags == SIWS_M_D || flags == SIWS_M_D_R)
        && octets.limit() >= HEADER + DdpHeader.TAGGED_LENGTH;
  }

  /**
   * Decodes a Terminate: the error and the message with the error.
   *
   * <p>Linux's siw swaps the nibbles of layer and type, and mirrors the octet with M, D and R. If
   * only one order gives a known error, that order is used; if both do, the RFC's, unless M and D
   * are in siw's positions.
   *
   * @param octets from 0 to the limit, {@link #MIN_LENGTH} or more
   */
  static Terminate read(ByteBuffer octets) {
    boolean mirrored = mirrored(octets);
    Terminate read = readError(octets, mirrored);
    boolean header = mirrored || (octets.get(FLAGS) & (M | D)) == (M | D); // RDMAP-4.8-06
    if (header && octets.limit() >= HEADER + DdpHeader.TAGGED_LENGTH) {
      if (DdpHeader.tagged(octets.get(HEADER))) {
        read.nameTagged(octets);
      } else if (octets.limit() >= HEADER + DdpHeader.UNTAGGED_LENGTH) {
        read.nameUntagged(octets);
      }
    }
    return read;
  }

  private void nameTagged(ByteBuffer octets) {
    boolean write = RdmapHeader.opcode(octets.get(HEADER + RSVD_ULP)) == RdmapHeader.WRITE;
    named = write ? Named.WRITE : Named.NOTHING;
    stag = octets.getInt(HEADER + STAG);
    to = octets.getLong(HEADER + TO);
  }

  private void nameUntagged(ByteBuffer octets) {
    named =
        switch (octets.getInt(HEADER + QN)) {
          case RdmapHeader.READ_QUEUE -> Named.REQUEST;
          case RdmapHeader.SEND_QUEUE -> Named.SEND;
          default -> Named.NOTHING;
        };
    msn = octets.getInt(HEADER + MSN);
  }

  private static Terminate readError(ByteBuffer octets, boolean mirrored) {
    int first = Byte.toUnsignedInt(octets.get(0));
    int code = Byte.toUnsignedInt(octets.get(1));
    Terminate right = new Terminate(first >>> 4, first & 0x0f, code);
    Terminate swapped = new Terminate(first & 0x0f, first >>> 4, code);
    return swapped.known() && (mirrored || !right.known()) ? swapped : right;
  }

  /** Whether layer, type and code are those of a known error. */
  private boolean known() {
    return Arrays.stream(KNOWN)
        .anyMatch(row -> layer == row[0] && type == row[1] && code >= row[2] && code <= row[3]);
  }

  /** What the segment with the error is of. */
  Named named() {
    return named;
  }

  /** Whether RDMAP or DDP of the peer has failed by itself, which names no segment (Figure 10). */
  boolean isCatastrophic() {
    return layer != RdmapHandler.LAYER_LLP && type == LOCAL_CATASTROPHIC;
  }

  /** Message Sequence Number of a request or a Send. */
  int msn() {
    return msn;
  }

  /** STag of a Write. */
  int stag() {
    return stag;
  }

  /** Tagged Offset of a Write's segment. */
  long to() {
    return to;
  }

  /** The completion status of what it names. */
  int requestStatus() {
    boolean rdmap = layer == RdmapHandler.LAYER_RDMAP && type == REMOTE_PROTECTION;
    return rdmap || (layer == RdmapHandler.LAYER_DDP && type == TAGGED_BUFFER)
        ? RdmapCompletionStatus.REMOTE_ACCESS_ERROR
        : RdmapCompletionStatus.REMOTE_OPERATION_ERROR;
  }

  /** The layer that found the error, four bits. */
  int layer() {
    return layer;
  }

  /** Error Type, four bits. */
  int type() {
    return type;
  }

  /** Error Code, eight bits. */
  int code() {
    return code;
  }
}
