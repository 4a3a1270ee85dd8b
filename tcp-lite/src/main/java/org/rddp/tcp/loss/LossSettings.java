package org.rddp.tcp.loss;

/**
 * The times of loss recovery, in nanoseconds.
 *
 * @param initialTimeout the retransmission timeout before a round trip has been measured
 * @param minimumTimeout the least retransmission timeout
 * @param maximumTimeout the greatest retransmission timeout
 * @param minimumProbe the least probe timeout
 * @param peerDelay how long a peer may delay the acknowledgment of a single segment
 */
public record LossSettings(
    long initialTimeout,
    long minimumTimeout,
    long maximumTimeout,
    long minimumProbe,
    long peerDelay) {}
