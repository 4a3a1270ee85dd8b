package org.rddp.rdmap;

/** The errors of RDMAP itself (RFC 5040 section 4.8). */
public enum RdmapError {
  /** A local error without a number of its own. */
  // RDMAP-4.8-04: "the valid values that MUST be used for this field"
  LOCAL_CATASTROPHIC(0, 0x00, "local catastrophic error"),
  /** An RDMA Read or an atomic with an STag that does not exist. */
  INVALID_STAG(1, 0x00, "invalid STag"),
  /** An RDMA Read or an atomic outside the range of the STag. */
  BASE_OR_BOUNDS(1, 0x01, "base or bounds violation"),
  /** An RDMA Read or an atomic with an STag that does not allow it. */
  ACCESS_RIGHTS(1, 0x02, "access rights violation"),
  /** An RDMA Read or an atomic with an STag of another protection domain or stream. */
  STAG_NOT_ASSOCIATED(1, 0x03, "STag not associated with the stream"),
  /**
   * An RDMA Read or an atomic whose Tagged Offset and length pass the end of the 64-bit numbers.
   */
  TO_WRAP(1, 0x04, "TO wrap"),
  /** A Send that names an STag that it may not invalidate. */
  CANNOT_INVALIDATE(1, 0x09, "STag cannot be invalidated"),
  /** A protection error without a number of its own. */
  PROTECTION_UNSPECIFIED(1, 0xff, "unspecified remote protection error"),
  /** The peer's RDMAP version is not the stream's. */
  INVALID_VERSION(2, 0x05, "invalid RDMAP version"),
  /** The peer used an opcode that does not exist, or that is not allowed here or now. */
  UNEXPECTED_OPCODE(2, 0x06, "unexpected opcode"),
  /**
   * The stream cannot continue: an atomic is not aligned to eight octets (RFC 7306), or programs at
   * the other end change these octets without a pause.
   */
  STREAM_CATASTROPHIC(
      2,
      0x07,
      "catastrophic error localized to the stream, such as an atomic whose address is not a multiple"
          + " of eight"),
  /** No stream of this device can continue. */
  DEVICE_CATASTROPHIC(2, 0x08, "global catastrophic error"),
  /** An error that has no number of its own. */
  UNSPECIFIED(2, 0xff, "unspecified error");

  private final int type;
  private final int code;
  private final String title;

  RdmapError(int type, int code, String title) {
    this.type = type;
    this.code = code;
    this.title = title;
  }

  /** Error Type, four bits. */
  public int type() {
    return type;
  }

  /** Error Code, eight bits. */
  public int code() {
    return code;
  }

  /** The error's name, for people to read. */
  public String title() {
    return title;
  }
}
