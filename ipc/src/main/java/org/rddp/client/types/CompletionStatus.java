package org.rddp.client.types;

/**
 * The result of a work request. The names are those of verbs ({@code ibv_wc_status}); the numbers
 * are those of the completion ring.
 */
public enum CompletionStatus {
  /** The request succeeded. */
  SUCCESS(0),
  /** The received message is longer than the posted receive. The connection ends. */
  LOCAL_LENGTH_ERROR(1),
  /** The local STag is not valid, lacks the right, or its range is exceeded. */
  LOCAL_PROTECTION_ERROR(2),
  /** The connection or queue does not exist, or does not support this request. */
  LOCAL_OPERATION_ERROR(3),
  /** The connection ended before the request was done. It is undefined which octets were placed. */
  FLUSHED(4),
  /**
   * The peer refused the access of this request to its memory (STag, range or right) and ended the
   * connection with a Terminate that names the request. A refused Write is reported like this only
   * where it completes when it is acknowledged, or has not been sent in full; otherwise it has
   * completed, and the connection ends with {@link Reason#TERMINATED}.
   */
  REMOTE_ACCESS_ERROR(5),
  /**
   * The peer could not carry out this request and ended the connection. For a Send or Write as with
   * {@link #REMOTE_ACCESS_ERROR}; the first of them, if the peer has failed by itself.
   */
  REMOTE_OPERATION_ERROR(6),
  /** Internal error of the daemon. */
  FATAL_ERROR(7),
  /** The window could not be bound: it is bound already, or the region does not allow it. */
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

  /** The status's number in the ring. */
  public int code() {
    return code;
  }

  /** The status with a number; {@link #FATAL_ERROR} if the number is unknown. */
  public static CompletionStatus of(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : FATAL_ERROR;
  }
}
