package org.rddp.client.types;

/** Why the daemon refused a request, or why a connection could not be made or ended. */
public enum Reason {
  /** Nobody here knows this number: the other end is newer. */
  UNKNOWN(0),
  /** The daemon speaks another version of the control protocol. */
  VERSION(1),
  /** This user may not. */
  PERMISSION(2),
  /** A limit of the session or of the daemon is reached; the text says which. */
  LIMIT(3),
  /** No memory, descriptors or mappings are left. */
  RESOURCES(4),
  /** An argument is wrong; the text says which. */
  INVALID(5),
  /** No such memory, STag, listener or connection in this session. */
  NOT_FOUND(6),
  /** The connection is not in the state for this. */
  STATE(7),
  /** The port is in use. */
  ADDRESS_IN_USE(8),
  /** The daemon has no such interface or address. */
  NO_INTERFACE(9),
  /** The memory could fault; the text says why. */
  UNSAFE_MEMORY(10),
  /** The program sent a message or wrote a ring entry that makes no sense. */
  PROTOCOL(11),
  /** The daemon failed inside; its log says more. */
  INTERNAL(12),
  /** No way leads to the address; the text says why. */
  UNREACHABLE(13),

  /** The connection was closed by this side, in order. */
  LOCAL_CLOSE(32),
  /** The connection was closed by the peer, in order. */
  PEER_CLOSE(33),
  /** This side aborted the connection, as the program said or for what the text says. */
  LOCAL_ABORT(34),
  /** The peer reset the connection. */
  RESET(35),
  /** Nobody listens at the peer's port. */
  REFUSED(36),
  /** The peer did not answer in time. */
  TIMEOUT(37),
  /**
   * MPA failed; the detail is its error number, 1 to 7 (RFC 5044 section 8, RFC 6581 section 8).
   */
  MPA_ERROR(38),
  /**
   * DDP failed here; the detail is type and code, {@code type << 8 | code} (RFC 5041 section 7.2).
   */
  DDP_ERROR(39),
  /** RDMAP failed here; the detail is type and code, {@code type << 8 | code} (RFC 5040). */
  RDMAP_ERROR(40),
  /**
   * The peer ended the connection with a Terminate, for an error that it found; the detail is
   * {@code layer << 12 | type << 8 | code} (RFC 5040 section 4.8).
   */
  TERMINATED(41),
  /** The daemon is stopping. */
  STOPPING(42);

  private final int code;

  Reason(int code) {
    this.code = code;
  }

  /** The number in messages. */
  public int code() {
    return code;
  }

  /** The reason of a number. */
  public static Reason of(int code) {
    for (Reason reason : values()) {
      if (reason.code == code) {
        return reason;
      }
    }
    return UNKNOWN;
  }
}
