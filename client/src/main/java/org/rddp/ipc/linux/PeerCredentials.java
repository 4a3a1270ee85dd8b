package org.rddp.ipc.linux;

/**
 * Who is at the other end of a control socket, as the kernel says.
 *
 * @param pid its process, as this process sees it; 0 when it cannot be seen from here
 * @param uid its user
 * @param gid its group
 */
public record PeerCredentials(int pid, int uid, int gid) {}
