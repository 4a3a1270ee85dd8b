package org.rddp.daemon.configuration;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.rddp.ipc.linux.Accounts;

/**
 * Settings of the control socket, its users, and the daemon's end.
 *
 * @param socket path of the control socket
 * @param mode the socket's permission bits, such as 0660
 * @param group id of the socket's group; empty: the group of the daemon's process
 * @param users ids of the users who may connect besides root and the daemon's own user; empty: all
 *     users that the socket's mode admits
 * @param drainTimeout longest time in ns for connections to end when the daemon ends
 */
public record ControlConfiguration(
    Path socket, int mode, OptionalInt group, List<Integer> users, long drainTimeout) {
  /** Longest path of a Unix-domain socket: sun_path without its terminating zero. */
  private static final int SOCKET_PATH = 107;

  private static final long DRAIN_TIMEOUT = TimeUnit.SECONDS.toNanos(3);

  /** Copies the list. */
  public ControlConfiguration {
    users = List.copyOf(users);
  }

  /** Copies the settings with what SIGHUP applies of others. */
  public ControlConfiguration applied(ControlConfiguration other) {
    return new ControlConfiguration(
        socket, other.mode, other.group, other.users, other.drainTimeout);
  }

  /** Reads the {@code [control]} of a configuration file. */
  static ControlConfiguration read(TomlSection section) {
    TomlSection live = section.live();
    Path socket =
        section.parsed(
            "socket",
            "an absolute path of at most " + SOCKET_PATH + " octets",
            Path.of("/run/rddp/rddpd.sock"),
            ControlConfiguration::socket);
    int mode =
        live.parsed(
            "mode",
            "permission bits in octal, \"0600\" to \"0777\"",
            0660,
            ControlConfiguration::mode);
    Integer group =
        live.account(
            "group",
            "a name or an id of a group",
            name -> id(Accounts.groupId(name), "group", name));
    List<Integer> users = users(live);
    long drain = live.duration("drain-timeout", 0, TimeUnit.MINUTES.toNanos(10), DRAIN_TIMEOUT);
    section.refuseUnknownKeys();
    return new ControlConfiguration(
        socket, mode, group == null ? OptionalInt.empty() : OptionalInt.of(group), users, drain);
  }

  /** The ids of the {@code users} of a table. */
  static List<Integer> users(TomlSection section) {
    return section.accounts(
        "users",
        "a list of names or ids of users",
        name -> id(Accounts.userId(name), "user", name));
  }

  private static Integer id(OptionalInt found, String kind, String name) {
    return found.orElseThrow(() ->
        new IllegalArgumentException("there is no " + kind + " \"" + name + "\" on this machine"));
  }

  private static Path socket(String text) {
    Path path = Path.of(text);
    if (!path.isAbsolute() || text.getBytes(StandardCharsets.UTF_8).length > SOCKET_PATH) {
      throw new IllegalArgumentException(text);
    }
    return path;
  }

  private static int mode(String text) {
    int mode = Integer.parseInt(text, 8);
    if (mode < 0600 || mode > 0777) {
      throw new IllegalArgumentException(text);
    }
    return mode;
  }
}
