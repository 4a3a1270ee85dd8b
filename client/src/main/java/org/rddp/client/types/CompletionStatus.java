package org.rddp.client.types;

/** How a work request ended. The names are those of verbs; the numbers are those of the ring. */
public enum CompletionStatus {
  /** Done. */
  SUCCESS(0),
  /** The message that came is longer than the receive, which ends the connection. */
  LOCAL_LENGTH_ERROR(1),
  /** The local STag is not valid, its range is exceeded or it lacks the right. */
  LOCAL_PROTECTION_ERROR(2),
  /** The connection does not exist, or does not support the request. */
  LOCAL_OPERATION_ERROR(3),
  /** The connection ended before this request was done; what was placed of it is undefined. */
  FLUSHED(4),
  /**
   * The peer refused the access to its memory, for STag, range or right, and ended the connection:
   * of a read or an atomic, which the peer's Terminate names. A Write has ended long before, as it
   * is done once it is sent: that the peer refused it shows only in the connection's end ({@link
   * Reason#TERMINATED}).
   */
  REMOTE_ACCESS_ERROR(5),
  /** The peer could not do what a read or an atomic asked for, and ended the connection. */
  REMOTE_OPERATION_ERROR(6),
  /** Internal error of the daemon. */
  FATAL_ERROR(7),
  /** A window could not be bound: bound already, or the region does not allow it. */
  MW_BIND_ERROR(8);

  private static final CompletionStatus[] BY_CODE = new CompletionStatus[9];

  static {
    for (CompletionStatus status : values()) {
      BY_CODE[status.code] = status;
    }
  }

  private final int code;

  CompletionStatus(int code) {
    this.code = code;
  }

  /** The number in the ring. */
  public int code() {
    return code;
  }

  /** The status of a number; {@link #FATAL_ERROR} if there is none. */
  public static CompletionStatus of(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : FATAL_ERROR;
  }
}
