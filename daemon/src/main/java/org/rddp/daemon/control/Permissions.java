package org.rddp.daemon.control;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.PeerCredentials;

/**
 * Decides which users may open sessions, capture frames, and see the sessions of others.
 *
 * <p>In a user namespace the kernel reports every user without an id there, the host's root
 * included, with one overflow id (user_namespaces(7)). So that id has no rights, even if it is the
 * daemon's own. If every id is mapped, as outside of containers, the overflow id is an ordinary
 * user's.
 */
final class Permissions {
  /** No user or group has this id. */
  private static final int NONE = -1;

  private static final long ALL_IDS = (1L << Integer.SIZE) - 1;

  private static final int OWN_USER = own("uid");
  private static final int OWN_GROUP = own("gid");

  private Set<Integer> users;

  /**
   * Creates the permissions.
   *
   * @param users ids of the users who may connect besides root and the daemon's own user; empty:
   *     all users
   */
  Permissions(Set<Integer> users) {
    this.users = Set.copyOf(users);
  }

  /** Changes the users; existing sessions go on. */
  void users(Set<Integer> ids) {
    users = Set.copyOf(ids);
  }

  void checkSession(PeerCredentials peer) throws RequestRefusedException {
    if (!users.isEmpty() && !isPrivileged(peer) && !users.contains(peer.uid())) {
      throw new RequestRefusedException(
          Reason.PERMISSION,
          "user " + peer.uid() + " is not among the users in the daemon's configuration");
    }
  }

  /**
   * Only root and the daemon's own user may capture and trace: frames contain the data of all
   * programs, and a trace shows another user's program.
   */
  void checkCapture(PeerCredentials peer) throws RequestRefusedException {
    if (!isPrivileged(peer)) {
      throw new RequestRefusedException(
          Reason.PERMISSION, "only root and the daemon's own user may capture and trace");
    }
  }

  /**
   * Only root and the daemon's own user may add, delete and list security associations: who has
   * their keys reads what is sent, and who deletes them ends it.
   */
  void checkAssociations(PeerCredentials peer) throws RequestRefusedException {
    if (!isPrivileged(peer)) {
      throw new RequestRefusedException(
          Reason.PERMISSION,
          "only root and the daemon's own user may add, delete and list security associations");
    }
  }

  /** Whether a program may see sessions, connections and errors of all users. */
  boolean seesAll(PeerCredentials viewer) {
    return isPrivileged(viewer) || viewer.gid() == OWN_GROUP;
  }

  /** Whether a program may see another's session: it sees all, or both are of one user. */
  boolean maySee(PeerCredentials viewer, PeerCredentials other) {
    return seesAll(viewer) || viewer.uid() == other.uid();
  }

  private static boolean isPrivileged(PeerCredentials peer) {
    return peer.uid() == 0 || peer.uid() == OWN_USER;
  }

  /** The daemon's own user or group; {@link #NONE} if it has none in its user namespace. */
  private static int own(String id) {
    try {
      int own = (int) Files.getAttribute(Path.of("/proc/self"), "unix:" + id);
      // Not readString: it reads one octet at a time, and the kernel returns only the first.
      Path overflowId = Path.of("/proc/sys/kernel/overflow" + id);
      int overflow = Integer.parseUnsignedInt(Files.readAllLines(overflowId).getFirst());
      return own == overflow && mapped(id) < ALL_IDS ? NONE : own;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Number of ids mapped in this user namespace. */
  private static long mapped(String id) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/" + id + "_map")).stream()
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
