package org.rddp.client;

import java.util.HexFormat;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.DaemonMessage;

/** The error that ended a stream of plain DDP (RFC 5041 section 7). Immutable. */
public final class StreamError {
  private static final int LLP_TYPE = 3;

  private final Reason reason;
  private final int detail;
  private final byte[] header;
  private final int segmentOctets;
  private final String text;

  StreamError(DaemonMessage.StreamFailed event) {
    reason = event.reason();
    detail = event.detail();
    header = HexFormat.of().parseHex(event.header());
    segmentOctets = event.segmentOctets();
    text = event.text();
  }

  /** {@link Reason#DDP_ERROR}, or {@link Reason#MPA_ERROR} if the layer below failed. */
  public Reason reason() {
    return reason;
  }

  /** The Error Type (RFC 5041 section 7.2), 0 to 3; 3: the layer below failed. */
  public int type() {
    return reason == Reason.MPA_ERROR ? LLP_TYPE : detail >>> 8;
  }

  /** The Error Code of the Error Type; of MPA the error number, 1 to 7. */
  public int code() {
    return detail & 0xff;
  }

  /**
   * The DDP header of the refused segment, 14 or 18 octets, fewer if the segment was shorter; empty
   * if the error concerns no segment.
   */
  public byte[] header() {
    return header.clone();
  }

  /** The length of that segment in octets, header included; 0 if the error concerns no segment. */
  public int segmentOctets() {
    return segmentOctets;
  }

  @Override
  public String toString() {
    return text;
  }
}
