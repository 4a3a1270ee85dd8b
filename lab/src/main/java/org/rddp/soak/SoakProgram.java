package org.rddp.soak;

import java.nio.file.Path;
import org.rddp.client.DaemonUnavailableException;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.SessionLostException;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SystemCallException;

/** What all programs of the soak have in common. */
public final class SoakProgram {
  /** The line that a program prints when it has begun. */
  static final String BEGUN = "begun";

  private SoakProgram() {}

  /** Opens a session. */
  public static Rddp open(Path socket, String interfaceName) {
    return Rddp.connect(
        socket,
        RddpOptions.defaults().withInterfaceName(interfaceName).withProgramName("rddp soak"));
  }

  /** Whether the daemon has ended. */
  public static boolean isLost(Throwable failure) {
    if (failure instanceof SystemCallException call) {
      return call.errno() == Errno.ECONNREFUSED || call.errno() == Errno.ENOENT;
    }
    return failure instanceof SessionLostException || failure instanceof DaemonUnavailableException;
  }

  /** Rethrows a failure if the daemon has ended; others concern one connection or session. */
  static void rethrowIfLost(RuntimeException failure) {
    if (isLost(failure)) {
      throw failure;
    }
  }
}
