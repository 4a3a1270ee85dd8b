package org.rddp.ipc;

/** How a work request ended. The words are those of verbs; the numbers go through the ring. */
public enum CompletionStatus {
  /** Done. */
  SUCCESS(0),
  /** The message that came is longer than the receive. */
  LOCAL_LENGTH_ERROR(1),
  /** The local STag is not valid, its range is exceeded or it lacks the right. */
  LOCAL_PROTECTION_ERROR(2),
  /** The request makes no sense: unknown connection, or one that cannot do this. */
  LOCAL_OPERATION_ERROR(3),
  /** The connection ended before this request was done; what was placed of it is undefined. */
  FLUSHED(4),
  /** The peer refused the access: STag, range or right. */
  REMOTE_ACCESS_ERROR(5),
  /** The peer could not do what was asked. */
  REMOTE_OPERATION_ERROR(6),
  /** The daemon failed inside. */
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

  /** The status of a number; {@link #FATAL_ERROR} when nobody here knows it. */
  public static CompletionStatus of(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : FATAL_ERROR;
  }
}
