package org.rddp.client.types;

/**
 * The limits of a session. The daemon sends them in its Welcome and enforces them.
 *
 * @param completions slots of the completion ring, and so outstanding work requests of the session
 * @param sendQueue outstanding requests in the send queue of a connection
 * @param receiveQueue outstanding receives of a connection
 * @param inlineOctets length of the longest inline message, 0 to 168
 * @param connections connections at a time
 * @param regions memory regions at a time
 * @param memories memories at a time: brought by the program, or larger than 1 MiB
 * @param memoryOctets allocated and adopted memory
 */
public record SessionLimits(
    int completions,
    int sendQueue,
    int receiveQueue,
    int inlineOctets,
    int connections,
    int regions,
    int memories,
    long memoryOctets) {}
