package org.rddp.tcp;

import org.rddp.ip.AddressPrefix;

/**
 * The congestion control of connections with a network.
 *
 * @param remote the network's addresses
 * @param congestion their congestion control
 */
public record NetworkCongestion(AddressPrefix remote, CongestionAlgorithm congestion) {}
