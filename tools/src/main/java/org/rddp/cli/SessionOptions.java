package org.rddp.cli;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.rddp.client.DaemonInterface;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

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

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  /** The path of the daemon's control socket. */
  Path socket() {
    return socket;
  }

  /** Opens a session with the command's name as the program name. */
  Rddp open(String command) {
    return open(command, interfaceName);
  }

  /**
   * Opens a session that connects with a remote address: the zone of the address, if it has one,
   * chooses the interface, and {@code --interface} may choose an engine of that interface. Another
   * interface is a usage error.
   */
  Rddp open(String command, RemoteAddress remote) {
    String zone = remote.zone();
    OptionChecks.require(
        spec,
        zone.isEmpty() || interfaceName.isEmpty() || zone.equals(withoutEngine(interfaceName)),
        "--interface %s is not the zone of %s".formatted(interfaceName, remote));
    return open(command, interfaceName.isEmpty() ? zone : interfaceName);
  }

  private Rddp open(String command, String chosen) {
    return Rddp.connect(
        socket,
        RddpOptions.defaults().withInterfaceName(chosen).withProgramName("rddp " + command));
  }

  /** The name of the interface of an engine: {@code eth0} of {@code eth0/1}. */
  private static String withoutEngine(String name) {
    int slash = name.indexOf('/');
    return slash < 0 ? name : name.substring(0, slash);
  }

  /** The daemon's interfaces. */
  List<DaemonInterface> interfaces() {
    return Rddp.interfaces(socket);
  }

  /** The chosen interface, or all if none was chosen. */
  List<DaemonInterface> chosenInterfaces() {
    List<DaemonInterface> all = interfaces();
    List<DaemonInterface> chosen =
        all.stream()
            .filter(each -> interfaceName.isEmpty() || each.name().equals(interfaceName))
            .toList();
    if (chosen.isEmpty()) {
      throw new CommandFailedException(
          "no interface %s; the daemon's interfaces: %s"
              .formatted(
                  interfaceName,
                  all.stream().map(DaemonInterface::name).collect(Collectors.joining(", "))));
    }
    return chosen;
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
