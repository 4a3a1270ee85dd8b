package org.rddp.daemon.configuration;

/**
 * Limits for programs.
 *
 * @param sessions number of sessions at a time
 * @param memory octets of memory of all programs together
 * @param mappings number of memories of all programs together; the kernel limits a process's
 *     mappings (vm.max_map_count)
 * @param sessionRegions number of regions of one program
 * @param sessionMemory octets of memory of one program
 * @param sessionMappings number of memories of one program: adopted ones, large ones, and those
 *     from which small pieces are cut
 * @param sessionConnections number of connections of one program, including those being established
 * @param sessionListeners number of ports at which one program listens
 * @param sendQueue outstanding requests in the send queue of a connection
 * @param receiveQueue outstanding receives of a connection
 * @param requests slots of a program's submission ring, a power of two
 * @param completions slots of a program's completion ring, a power of two
 */
public record Limits(
    int sessions,
    long memory,
    int mappings,
    int sessionRegions,
    long sessionMemory,
    int sessionMappings,
    int sessionConnections,
    int sessionListeners,
    int sendQueue,
    int receiveQueue,
    int requests,
    int completions) {
  /** The limits if the file sets none. */
  public static final Limits DEFAULTS =
      new Limits(64, 16L << 30, 16384, 256, 8L << 30, 256, 1024, 16, 256, 256, 1024, 1024);
}
