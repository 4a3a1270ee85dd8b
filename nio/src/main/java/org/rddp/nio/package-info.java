/**
 * Channels of java.nio over rddp: a {@link java.nio.channels.spi.SelectorProvider} whose socket
 * channels are octet streams of the daemon.
 */
package org.rddp.nio;
