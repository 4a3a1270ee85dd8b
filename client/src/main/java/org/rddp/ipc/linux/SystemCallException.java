package org.rddp.ipc.linux;

import java.io.IOException;

/** A system call failed: its name, its errno and what that means. */
public final class SystemCallException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  public SystemCallException(String call, int errno) {
    super(call + ": " + Errno.text(errno) + " (errno " + errno + ")");
    this.errno = errno;
  }

  /** The number that the kernel gave, one of {@link Errno} among others. */
  public int errno() {
    return errno;
  }
}
