package org.rddp.rdmap;

/** The status with which a request completes. */
public final class RdmapCompletionStatus {
  /** The request succeeded. */
  public static final int SUCCESS = 0;

  /** Not done, or not completely: the stream failed or was closed first. */
  public static final int FLUSHED = 1;

  /**
   * Not done: the length is not 0 to 2^32-1 octets; or, of a receive, the message was longer than
   * the buffer.
   */
  public static final int LENGTH_ERROR = 2;

  /** Not done: this stream may not read into, or may not invalidate, the local STag. */
  public static final int LOCAL_PROTECTION_ERROR = 3;

  /** Not done: an ORD of 0 was negotiated, so this end may not send reads and atomics. */
  public static final int NO_READS = 4;

  /** Not done: the window may not be bound in this way. */
  public static final int BIND_ERROR = 5;

  /** Not done: the peer's Terminate reports that STag, range or rights do not allow the access. */
  public static final int REMOTE_ACCESS_ERROR = 6;

  /** Not done: the peer's Terminate reports another error in this request. */
  public static final int REMOTE_OPERATION_ERROR = 7;

  /** Not done: a message of RFC 7306 on a stream of version 0, which has none. */
  public static final int NOT_IN_VERSION = 8;

  private RdmapCompletionStatus() {}
}
