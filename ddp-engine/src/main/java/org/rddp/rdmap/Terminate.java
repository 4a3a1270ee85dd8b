package org.rddp.rdmap;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.mpa.Ulpdu;

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
  /** Octets of the longest Terminate. */
  static final int MAX_LENGTH = 6 + 18 + ReadRequest.LENGTH;

  /** Octets of the shortest. */
  static final int MIN_LENGTH = 4;

  private static final int M = 0x80;
  private static final int D = 0x40;
  private static final int R = 0x20;
  private static final int MDR = M | D | R;

  /** The same three as siw puts them: its bits count from the other end of the octet. */
  private static final int SWAPPED_MDR = 0x07;

  private static final int SIWS_M_D = 0x03;

  /** Offset of the DDP header, and in it of the Queue Number and the Message Sequence Number. */
  private static final int HEADER = 6;

  private static final int QN = 6;
  private static final int MSN = 10;

  /** Error Type of RDMAP: what was asked for may not be done. */
  private static final int REMOTE_PROTECTION = 1;

  private final int layer;
  private final int type;
  private final int code;

  /** Whether the segment that it names is one of our reads or atomics, and its number. */
  private boolean namesRequest;

  private int msn;

  private Terminate(int layer, int type, int code) {
    this.layer = layer;
    this.type = type;
    this.code = code;
  }

  /**
   * The octets of a Terminate.
   *
   * @param report the segment with the error, or null if there is none
   * @param readRequest its RDMA Read Request Header, or an empty array if it has none
   */
  static byte[] encode(int layer, int type, int code, DdpErrorReport report, byte[] readRequest) {
    ByteBuffer octets = ByteBuffer.allocate(MAX_LENGTH);
    octets.put((byte) (layer << 4 | type)).put((byte) code);
    if (report == null || !report.headerComplete()) {
      octets.putShort((short) 0);
    } else {
      int flags = M | D | (readRequest.length > 0 ? R : 0);
      octets.put((byte) flags).put((byte) 0);
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
                  .filter(error -> error.type() == type && error.code() == code)
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
   * Decodes a Terminate: the error and the message with the error.
   *
   * <p>Linux's siw swaps the nibbles of layer and type, and mirrors the octet with M, D and R. If
   * only one order gives a known error, that order is used; if both do, the RFC's, unless M, D and
   * R are where siw puts them.
   *
   * @param octets its length, {@link #MIN_LENGTH} or more
   */
  static Terminate read(Ulpdu segment, int at, int octets) {
    Terminate read = readError(segment, at);
    int flags = segment.getByte(at + 2);
    boolean header = (flags & (M | D)) == (M | D) || (flags & (MDR | SIWS_M_D)) == SIWS_M_D;
    if (header && octets >= HEADER + DdpHeader.UNTAGGED_LENGTH) {
      int ddp = at + HEADER;
      boolean tagged = DdpHeader.tagged(segment.getByte(ddp));
      read.namesRequest = !tagged && segment.getInt(ddp + QN) == RdmapHeader.READ_QUEUE;
      read.msn = segment.getInt(ddp + MSN);
    }
    return read;
  }

  private static Terminate readError(Ulpdu segment, int at) {
    int first = segment.getByte(at);
    int code = segment.getByte(at + 1);
    int flags = segment.getByte(at + 2);
    Terminate right = new Terminate(first >>> 4, first & 0x0f, code);
    Terminate swapped = new Terminate(first & 0x0f, first >>> 4, code);
    boolean swappedFlags = (flags & MDR) == 0 && (flags & SWAPPED_MDR) != 0;
    if (swapped.known() && (swappedFlags || !right.known())) {
      return swapped;
    }
    return right;
  }

  /** Whether layer, type and code are those of a known error. */
  private boolean known() {
    return switch (layer) {
      case RdmapHandler.LAYER_RDMAP ->
          switch (type) {
            case 0 -> code == 0;
            case 1 -> code <= 4 || code == 9 || code == 0xff;
            case 2 -> (code >= 5 && code <= 9) || code == 0xff;
            default -> false;
          };
      case RdmapHandler.LAYER_DDP ->
          switch (type) {
            case 0 -> code == 0;
            case 1 -> code <= 4;
            case 2 -> code >= 1 && code <= 6;
            default -> false;
          };
      case RdmapHandler.LAYER_LLP -> type == 0 && code >= 1 && code <= 7;
      default -> false;
    };
  }

  /** Whether the error is in a read or an atomic of ours. */
  boolean namesRequest() {
    return namesRequest;
  }

  /** Message Sequence Number of that request. */
  int msn() {
    return msn;
  }

  /** The completion status of that request. */
  int requestStatus() {
    return layer == RdmapHandler.LAYER_RDMAP && type == REMOTE_PROTECTION
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
