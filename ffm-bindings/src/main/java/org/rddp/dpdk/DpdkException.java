package org.rddp.dpdk;

import org.rddp.dpdk.generated.Dpdk;

/** A failure of DPDK. The message says what failed, DPDK's reason, and what to do about it. */
public final class DpdkException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int errno;
  private final String reason;

  private DpdkException(String message, int errno, String reason, Throwable cause) {
    super(message, cause);
    this.errno = errno;
    this.reason = reason;
  }

  /**
   * A failure that DPDK reported.
   *
   * @param what the operation that failed, such as "start port net_tap0"
   * @param result the negative errno that the shim returned
   * @param remedy how to fix it, as complete sentences
   */
  static DpdkException of(String what, int result, String remedy) {
    int errno = -result;
    String reason = Dpdk.rddp_strerror(errno).getString(0);
    return new DpdkException(
        "Cannot " + what + ": " + reason + " (errno " + errno + "). " + remedy,
        errno,
        reason,
        null);
  }

  /** A failure that was found before DPDK was asked. */
  static DpdkException refused(String message) {
    return new DpdkException(message, 0, message, null);
  }

  /** A failure to load the shim. */
  static DpdkException refused(String message, Throwable cause) {
    return new DpdkException(message, 0, message, cause);
  }

  /** The positive errno, or DPDK's own error number, or 0 if DPDK was not asked. */
  public int errno() {
    return errno;
  }

  /**
   * The reason alone, such as {@code Operation not permitted}; the message if DPDK was not asked.
   */
  public String reason() {
    return reason;
  }
}
