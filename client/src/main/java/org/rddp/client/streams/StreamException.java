package org.rddp.client.streams;

import java.io.IOException;

/** An octet stream has failed. */
public final class StreamException extends IOException {
  /** The error number of a stream that was reset. */
  static final int RESET = 104;

  private static final long serialVersionUID = 1;

  private final int errno;

  StreamException(int errno) {
    super("the stream has failed: errno " + errno);
    this.errno = errno;
  }

  /** The error number of Linux. */
  public int errno() {
    return errno;
  }
}
