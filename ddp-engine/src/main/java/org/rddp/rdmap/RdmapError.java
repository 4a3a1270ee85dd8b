package org.rddp.rdmap;

/** The errors that RDMAP itself finds (RFC 5040 section 4.8). */
public enum RdmapError {
  /** The peer's RDMAP version is not the stream's. */
  INVALID_VERSION(2, 0x05, "invalid RDMAP version"),
  /** The peer used an opcode that does not exist, or not for this kind of segment. */
  UNEXPECTED_OPCODE(2, 0x06, "unexpected RDMAP opcode");

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

  /** The error's name, for a person to read. */
  public String title() {
    return title;
  }
}
