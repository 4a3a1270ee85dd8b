package org.rddp.daemon.engine;

import org.rddp.ip.HostAddress;

/**
 * A listener of a session at one moment, for people and tools.
 *
 * @param number its number in the session
 * @param address as in {@link Session#listen}
 * @param port the port
 * @param age nanoseconds since it was opened
 * @param backlog connection requests that may wait for the program
 * @param waiting connection requests that wait for the program
 * @param starting peers that have connected and not sent their MPA Request
 * @param requested connection requests that the program has been told of
 * @param refused peers that were refused: the backlog or the session was full, or they offered no
 *     RTR where it is required
 */
public record ListenerStatus(
    int number,
    HostAddress address,
    int port,
    long age,
    int backlog,
    int waiting,
    int starting,
    long requested,
    long refused) {}
