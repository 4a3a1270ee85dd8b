package org.rddp.rdmap;

/** The status with which a request completes. Programs get the same names and values. */
public final class RdmapCompletionStatus {
  /** The request succeeded. */
  public static final int SUCCESS = 0;

  /**
   * Not done: the length is not 0 to 2^32-1 octets; for a receive: the message was longer than the
   * buffer.
   */
  public static final int LOCAL_LENGTH_ERROR = 1;

  /** Not done: this stream may not read into, or may not invalidate, the local STag. */
  public static final int LOCAL_PROTECTION_ERROR = 2;

  /**
   * Not done: an ORD of 0 was negotiated, so this end may not send reads and atomics; or the stream
   * has version 0, which has no messages of RFC 7306.
   */
  public static final int LOCAL_OPERATION_ERROR = 3;

  /** Not done, or not completely: the stream failed or was closed first. */
  public static final int FLUSHED = 4;

  /** Not done: the peer's Terminate reports that STag, range or rights do not allow the access. */
  public static final int REMOTE_ACCESS_ERROR = 5;

  /** Not done: the peer's Terminate reports another error in this request. */
  public static final int REMOTE_OPERATION_ERROR = 6;

  /** Not done: the window may not be bound in this way. */
  public static final int MW_BIND_ERROR = 8;

  private RdmapCompletionStatus() {}
}
