package org.rddp.client;

import java.net.InetSocketAddress;

/**
 * The addresses of a connection's two ends.
 *
 * @param local at the daemon's end
 * @param remote at the peer's
 */
public record ConnectionAddresses(InetSocketAddress local, InetSocketAddress remote) {}
