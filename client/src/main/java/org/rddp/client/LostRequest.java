package org.rddp.client;

/**
 * A posted request that will never complete because its daemon has ended.
 *
 * @param connection the connection that it was posted to; null if it was a shared receive queue
 * @param receiveQueue the shared receive queue that it was posted to, otherwise null
 * @param isReceive whether it is a receive, or a notice of plain DDP; otherwise it is of the send
 *     queue
 * @param workRequest the program's own number
 */
public record LostRequest(
    Connection connection, SharedReceiveQueue receiveQueue, boolean isReceive, long workRequest) {}
