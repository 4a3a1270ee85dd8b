package org.rddp.daemon.configuration;

/**
 * How much programs may take.
 *
 * @param sessions programs connected at once
 * @param memory octets registered by all programs together
 * @param mappings memories shared with all programs together; the kernel's vm.max_map_count bounds
 *     how many a process can have
 * @param sessionRegions regions of one program
 * @param sessionMemory octets registered by one program
 * @param sessionMappings memories shared with one program: those of its own, large ones, and those
 *     that small ones are cut from
 * @param sessionConnections connections of one program, those being opened included
 * @param sessionListeners ports that one program listens on
 * @param sendQueue sends and writes that may be outstanding on a connection
 * @param receiveQueue receives that may be outstanding on a connection
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
  /** What a file that says nothing gets. */
  public static final Limits DEFAULTS =
      new Limits(64, 16L << 30, 16384, 256, 8L << 30, 256, 1024, 16, 256, 256, 1024, 1024);
}
