package org.rddp.ipc.linux;

/**
 * The process at the other end of a control socket, as reported by the kernel (SO_PEERCRED).
 *
 * @param pid process id in this process's PID namespace; 0 if the process is not visible there
 * @param uid user id
 * @param gid group id
 */
public record PeerCredentials(int pid, int uid, int gid) {
  /**
   * Distinguishes invisible processes, which all have the process id 0: replaces it by the negated
   * number of the control connection.
   *
   * @param connection number of the control connection, greater than 0
   */
  public PeerCredentials ofConnection(int connection) {
    return pid == 0 ? new PeerCredentials(-connection, uid, gid) : this;
  }

  /** Whether these are the same process of the same user. */
  public boolean isSameProcess(PeerCredentials other) {
    return pid == other.pid && uid == other.uid;
  }
}
