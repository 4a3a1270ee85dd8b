package org.rddp.client;

import java.util.List;

/**
 * The parts of a session that have ended with its daemon.
 *
 * @param cause why the session was lost
 * @param connections connections that were open or being established, and connection requests that
 *     had not been answered
 * @param requests requests posted and not reported; it is undefined which of their octets were sent
 *     or placed
 * @param regions regions that cannot be registered again: those for one connection ({@link
 *     MemoryRegion#register(Connection, long, long, org.rddp.client.types.Access...)}), and those
 *     on the program's own memory ({@link Rddp#register}), which no further process can map. Their
 *     memory can be read until they are closed
 */
public record LostSession(
    SessionLostException cause,
    List<Connection> connections,
    List<LostRequest> requests,
    List<MemoryRegion> regions) {
  /** Copies the lists. */
  public LostSession {
    connections = List.copyOf(connections);
    requests = List.copyOf(requests);
    regions = List.copyOf(regions);
  }
}
