package org.rddp.tcp.loss;

/**
 * The times that loss recovery goes by, in nanoseconds.
 *
 * @param initialTimeout the retransmission timeout before a round trip has been measured
 * @param minimumTimeout the least retransmission timeout
 * @param maximumTimeout the greatest retransmission timeout
 * @param minimumProbe the least probe timeout
 * @param peerDelay how long a peer is taken to delay the acknowledgment of a lone segment
 */
public record LossSettings(
    long initialTimeout,
    long minimumTimeout,
    long maximumTimeout,
    long minimumProbe,
    long peerDelay) {}
