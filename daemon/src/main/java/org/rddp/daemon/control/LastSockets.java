package org.rddp.daemon.control;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.linux.SystemCallException;

/**
 * Closes the sockets of programs whose sessions have ended. Descriptors that a program has not
 * received are still on their way when the daemon has closed its end, and the kernel limits those
 * for all programs together. So the daemon keeps its end until the program has received them or has
 * closed its own end, and until then the session counts among those of its process and user. A
 * program that connects again and again and receives nothing is refused at that limit. Control
 * thread only.
 */
final class LastSockets {
  /** Shortest and longest pause in ns between two looks at a socket. */
  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private final ControlServer server;
  private final Set<ControlSocket> kept = new LinkedHashSet<>();

  LastSockets(ControlServer server) {
    this.server = server;
  }

  /**
   * Closes a socket now, or as soon as no descriptors are on their way to the program.
   *
   * @param last sends the last message; or null
   * @param leave gives back the program's session
   */
  void close(ControlSocket socket, Runnable last, Runnable leave) {
    // Before the last message: a program that has it may open its next session at once.
    boolean keeps = hasDescriptorsInFlight(socket);
    if (!keeps) {
      leave.run();
    }
    if (last != null) {
      last.run();
    }
    if (keeps && shutdown(socket)) {
      kept.add(socket);
      lookAgain(socket, leave, FIRST_PAUSE);
    } else if (keeps) {
      end(socket, leave);
    } else {
      socket.close();
    }
  }

  private void lookAgain(ControlSocket socket, Runnable leave, long pause) {
    server.after(
        pause,
        () -> {
          if (hasDescriptorsInFlight(socket)) {
            lookAgain(socket, leave, Math.min(2 * pause, LONGEST_PAUSE));
          } else {
            kept.remove(socket);
            end(socket, leave);
          }
        });
  }

  private void end(ControlSocket socket, Runnable leave) {
    leave.run();
    socket.close();
  }

  private boolean hasDescriptorsInFlight(ControlSocket socket) {
    try {
      return socket.hasDescriptorsInFlight();
    } catch (SystemCallException e) {
      server.events().fault("a program's socket", e);
      return false;
    }
  }

  private boolean shutdown(ControlSocket socket) {
    try {
      socket.shutdown();
      return true;
    } catch (SystemCallException e) {
      // The program has closed its end, and with it what was on its way.
      return false;
    }
  }

  /** Closes what is kept, when the daemon ends. */
  void closeAll() {
    kept.forEach(ControlSocket::close);
    kept.clear();
  }
}
