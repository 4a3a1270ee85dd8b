package org.rddp.ipc.linux;

import java.io.IOException;

/** A failed system call, with its name, its errno and the C library's text. */
public final class SystemCallException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  public SystemCallException(String call, int errno) {
    super(call + ": " + Errno.text(errno) + " (errno " + errno + ")");
    this.errno = errno;
  }

  /** The error number, see {@link Errno}. */
  public int errno() {
    return errno;
  }
}
