package org.rddp.client;

import java.net.InetSocketAddress;

/**
 * Between which ends a connection runs.
 *
 * @param local at the daemon's end
 * @param remote at the peer's
 */
public record ConnectionAddresses(InetSocketAddress local, InetSocketAddress remote) {}
