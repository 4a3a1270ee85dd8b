package org.rddp.ddp.segment;

import java.util.Locale;

/**
 * The errors that DDP reports to its user (RFC 5041 section 7.2).
 *
 * <p>Error Type 3 belongs to the layer below.
 */
public enum DdpError {
  // DDP-7.2-01: "The following error numbers MUST be used when reporting errors to the ULP"
  /** A local error without a number of its own: the segment is too short for its header. */
  LOCAL_CATASTROPHIC(0x0, 0x00), // DDP-7.2-02: "Local Catastrophic"
  /** No such STag, or its buffer does not allow this kind of access. */
  INVALID_STAG(0x1, 0x00),
  /** The segment does not lie within the range registered for the STag. */
  BASE_OR_BOUNDS(0x1, 0x01),
  /** The STag belongs to another protection domain or another stream. */
  STAG_NOT_ASSOCIATED(0x1, 0x02), // DDP-7.2-03: "STag not associated with DDP Stream"
  /** Tagged Offset and length together pass the end of the 64-bit numbers. */
  TO_WRAP(0x1, 0x03),
  /** The DDP version of a tagged segment is not the stream's. */
  TAGGED_VERSION(0x1, 0x04), // DDP-7.2-04: "Invalid DDP version"
  /** There is no such queue on this stream. */
  INVALID_QN(0x2, 0x01),
  /** No buffer has been posted for the message. */
  NO_BUFFER(0x2, 0x02),
  /** The message has been Delivered already. */
  MSN_RANGE(0x2, 0x03),
  /** The Message Offset is outside the buffer, or contradicts the rest of the message. */
  INVALID_MO(0x2, 0x04),
  /** The segment extends beyond the end of the buffer. */
  MESSAGE_TOO_LONG(0x2, 0x05),
  /** The DDP version of an untagged segment is not the stream's. */
  UNTAGGED_VERSION(0x2, 0x06); // DDP-7.2-05: "Invalid DDP version"

  /** The Error Type of the layer below DDP. */
  public static final int LLP_TYPE = 0x3; // DDP-7.2-06: "Reserved for the use by the LLP"

  private final int type;
  private final int code;

  DdpError(int type, int code) {
    this.type = type;
    this.code = code;
  }

  /** The error's name, for people to read. */
  public String title() {
    return "DDP: " + name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** Error Type, four bits. */
  public int type() {
    return type;
  }

  /** Error Code, eight bits. */
  public int code() {
    return code;
  }
}
