package org.rddp.ipc.linux;

import java.io.IOException;

/** Memory of another process was refused because an access to it could end the JVM. */
public final class UnsafeMemoryException extends IOException {
  private static final long serialVersionUID = 1L;

  UnsafeMemoryException(String why) {
    super("memory refused: " + why);
  }
}
