package org.rddp.cli;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.List;
import org.rddp.client.DaemonInterface;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import picocli.CommandLine.Option;

/** The options with which a command opens a session with the daemon. */
final class SessionOptions {
  @Option(
      names = "--socket",
      paramLabel = "PATH",
      description = "The daemon's control socket (default: $RDDP_SOCKET or /run/rddp/rddpd.sock).")
  private Path socket = Rddp.defaultSocket();

  @Option(
      names = "--interface",
      paramLabel = "NAME",
      description = "The daemon's interface (default: the first one).")
  private String interfaceName = "";

  /** The path of the daemon's control socket. */
  Path socket() {
    return socket;
  }

  /** Opens a session with the command's name as the program name. */
  Rddp open(String command) {
    return Rddp.connect(
        socket,
        RddpOptions.defaults().withInterfaceName(interfaceName).withProgramName("rddp " + command));
  }

  /** The daemon's interfaces. */
  List<DaemonInterface> interfaces() {
    return Rddp.interfaces(socket);
  }

  /** Whether an object belongs to the chosen interface or engine, or none was chosen. */
  boolean includes(JsonObject object) {
    return interfaceName.isEmpty() || names(object, "interface") || names(object, "engine");
  }

  private boolean names(JsonObject object, String key) {
    return object.has(key) && interfaceName.equals(object.get(key).getAsString());
  }

  /** Whether a counter belongs to the chosen interface or engine, or none was chosen. */
  boolean includesCounter(String counter) {
    return interfaceName.isEmpty()
        || counter.startsWith(interfaceName + ".")
        || counter.startsWith(interfaceName + "/");
  }
}
