package org.rddp.ddp.segment;

import java.lang.foreign.Arena;
import java.util.HexFormat;
import org.rddp.mpa.Ulpdu;
import org.rddp.wire.Memory;

/**
 * The header and the length of a segment that DDP refused (RFC 5041 section 7.1). Created at most
 * once per stream, when it fails.
 */
public final class DdpErrorReport {
  private final byte[] header;
  private final int segmentLength;
  private final boolean tagged;

  private DdpErrorReport(byte[] header, int segmentLength, boolean tagged) {
    this.header = header;
    this.segmentLength = segmentLength;
    this.tagged = tagged;
  }

  /** Reports {@code segment}; copies its header. */
  public static DdpErrorReport of(Ulpdu segment) {
    boolean tagged = segment.length() > 0 && DdpHeader.tagged(DdpHeader.control(segment));
    int whole = tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
    byte[] header = new byte[Math.min(whole, segment.length())];
    for (int i = 0; i < header.length; i++) {
      header[i] = (byte) segment.getByte(i);
    }
    return new DdpErrorReport(header, segment.length(), tagged); // DDP-7.1-17
  }

  /** Reports an untagged segment with this header. */
  public static DdpErrorReport untagged(byte[] header, int segmentLength) {
    return new DdpErrorReport(header, segmentLength, false);
  }

  /** Reports a segment whose header has been decoded. */
  public static DdpErrorReport of(SegmentHeader header) {
    try (Arena arena = Arena.ofConfined()) {
      int length = header.length();
      long scratch = arena.allocate(length).address();
      header.write(scratch);
      byte[] octets = Memory.bytes(scratch, length);
      return new DdpErrorReport(octets, length + header.octets(), header.tagged()); // DDP-7.1-17
    }
  }

  /**
   * A copy of the DDP header as received: 14 octets (tagged) or 18 (untagged), fewer if the segment
   * was shorter.
   */
  public byte[] header() {
    return header.clone();
  }

  /** Whether the segment was long enough to hold its header. */
  public boolean headerComplete() {
    return header.length == (tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH);
  }

  /** Octets of the segment, header included. */
  public int segmentLength() {
    return segmentLength;
  }

  /** Whether the header is a tagged one. */
  public boolean tagged() {
    return tagged;
  }

  /** Describes the segment, for people to read. */
  @Override
  public String toString() {
    return "a segment of "
        + segmentLength
        + " octets with header "
        + HexFormat.of().formatHex(header);
  }
}
