package org.rddp.client.types;

/** The reason why the daemon refused a request, or why a connection failed or ended. */
public enum Reason {
  /** An unknown number: the other end is newer. */
  UNKNOWN(0),
  /** The daemon speaks another version of the control protocol. */
  VERSION(1),
  /** The user lacks the permission. */
  PERMISSION(2),
  /** A limit of the session or the daemon is reached; the text names it. */
  LIMIT(3),
  /** The system has no memory, descriptors or mappings left. */
  RESOURCES(4),
  /** An argument is wrong; the text names it. */
  INVALID(5),
  /** The session has no such memory, STag, listener or connection. */
  NOT_FOUND(6),
  /** The object's state does not allow the request. */
  STATE(7),
  /** The port is in use. */
  ADDRESS_IN_USE(8),
  /** The daemon has no such interface or address. */
  NO_INTERFACE(9),
  /** An access to the memory could fault; the text says why. */
  UNSAFE_MEMORY(10),
  /** The program sent a malformed message or wrote a malformed ring entry. */
  PROTOCOL(11),
  /** Internal error of the daemon; its log says more. */
  INTERNAL(12),
  /** There is no route to the address; the text says why. */
  UNREACHABLE(13),

  /** This side closed the connection gracefully. */
  LOCAL_CLOSE(32),
  /** The peer closed the connection gracefully. */
  PEER_CLOSE(33),
  /** This side aborted the connection, at the program's request or for the reason in the text. */
  LOCAL_ABORT(34),
  /** The peer reset the connection. */
  RESET(35),
  /** No program listens at the peer's port. */
  REFUSED(36),
  /** The peer did not answer in time. */
  TIMEOUT(37),
  /**
   * MPA failed; the detail is its error number, 1 to 7 (RFC 5044 section 8, RFC 6581 section 8).
   */
  MPA_ERROR(38),
  /**
   * DDP found an error at this end; the detail is Error Type and Error Code, {@code type << 8 |
   * code} (RFC 5041 section 7.2).
   */
  DDP_ERROR(39),
  /**
   * RDMAP found an error at this end; the detail is Error Type and Error Code, {@code type << 8 |
   * code} (RFC 5040).
   */
  RDMAP_ERROR(40),
  /**
   * The peer found an error and ended the connection with a Terminate; the detail is {@code layer
   * << 12 | type << 8 | code} (RFC 5040 section 4.8).
   */
  TERMINATED(41),
  /** The daemon is stopping. */
  STOPPING(42);

  private final int code;

  Reason(int code) {
    this.code = code;
  }

  /** The reason's number in messages. */
  public int code() {
    return code;
  }

  /** The reason with a number; {@link #UNKNOWN} if the number is unknown. */
  public static Reason of(int code) {
    for (Reason reason : values()) {
      if (reason.code == code) {
        return reason;
      }
    }
    return UNKNOWN;
  }
}
