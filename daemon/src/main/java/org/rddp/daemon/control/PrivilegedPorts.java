package org.rddp.daemon.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.PeerCredentials;

/**
 * The ports that only privileged programs may have, as Linux has it for TCP: those below
 * net.ipv4.ip_unprivileged_port_start of the daemon's network namespace. A program is privileged if
 * it is root in the daemon's user namespace, or in that namespace and has CAP_NET_BIND_SERVICE.
 */
final class PrivilegedPorts {
  private static final Path START = Path.of("/proc/sys/net/ipv4/ip_unprivileged_port_start");
  private static final int USUAL_START = 1024;
  private static final int CAP_NET_BIND_SERVICE = 10;
  private static final String CAPABILITIES = "CapEff:";
  private static final int HEXADECIMAL = 16;

  private PrivilegedPorts() {}

  /**
   * Refuses a privileged port to a program that is not privileged.
   *
   * @param port 0: none
   */
  static void check(PeerCredentials program, int port) throws RequestRefusedException {
    if (port != 0 && port < start() && !isPrivileged(program)) {
      throw new RequestRefusedException(
          Reason.PERMISSION,
          "port %d is below net.ipv4.ip_unprivileged_port_start: the program needs CAP_NET_BIND_SERVICE"
              .formatted(port));
    }
  }

  private static int start() {
    try {
      return Integer.parseInt(Files.readAllLines(START).getFirst().trim());
    } catch (IOException | NumberFormatException e) {
      return USUAL_START;
    }
  }

  private static boolean isPrivileged(PeerCredentials program) {
    return program.uid() == 0 || (program.pid() > 0 && hasCapability(program.pid()));
  }

  private static boolean hasCapability(int process) {
    Path status = Path.of("/proc/" + process + "/status");
    Path own = Path.of("/proc/self/ns/user");
    Path its = Path.of("/proc/" + process + "/ns/user");
    try {
      if (!Files.readSymbolicLink(own).equals(Files.readSymbolicLink(its))) {
        return false;
      }
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith(CAPABILITIES)) {
          long bits =
              Long.parseUnsignedLong(line.substring(CAPABILITIES.length()).trim(), HEXADECIMAL);
          return (bits >>> CAP_NET_BIND_SERVICE & 1) != 0;
        }
      }
    } catch (IOException | NumberFormatException e) {
      // It has ended, or may not be looked at.
    }
    return false;
  }
}
