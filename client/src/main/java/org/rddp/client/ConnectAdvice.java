package org.rddp.client;

import java.nio.file.Files;
import java.nio.file.Path;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SystemCallException;

/** Says what to do if the daemon's socket cannot be connected. */
final class ConnectAdvice {
  private ConnectAdvice() {}

  static String of(Path socket, SystemCallException e) {
    return switch (e.errno()) {
      case Errno.ENOENT ->
          "there is no daemon socket at "
              + socket
              + ": start the daemon (rddp daemon), or give the path of its socket";
      // connect(2) reports ECONNREFUSED for a plain file, too.
      case Errno.ECONNREFUSED ->
          Files.isRegularFile(socket) || Files.isDirectory(socket)
              ? notASocket(socket)
              : "no daemon answers at "
                  + socket
                  + ", although its socket exists: start the daemon (rddp daemon)";
      case Errno.EACCES, Errno.EPERM ->
          "you may not use the daemon at "
              + socket
              + ": writing that socket needs the user or the group that the daemon's configuration"
              + " names";
      case Errno.EPROTOTYPE, Errno.ENOTSOCK -> notASocket(socket);
      case Errno.EAGAIN ->
          "the daemon at " + socket + " has not accepted the connection in time: try again later";
      case Errno.ENOTDIR ->
          socket + " has a component that is not a directory: give the path of the daemon's socket";
      default -> "no daemon at " + socket + ": " + e.getMessage();
    };
  }

  private static String notASocket(Path socket) {
    return socket + " is not the socket of an rddp daemon: give another path";
  }
}
