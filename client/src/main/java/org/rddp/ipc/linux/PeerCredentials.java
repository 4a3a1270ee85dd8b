package org.rddp.ipc.linux;

/**
 * The process at the other end of a control socket, as reported by the kernel (SO_PEERCRED).
 *
 * @param pid process id in this process's PID namespace; 0 if the process is not visible there
 * @param uid user id
 * @param gid group id
 */
public record PeerCredentials(int pid, int uid, int gid) {}
