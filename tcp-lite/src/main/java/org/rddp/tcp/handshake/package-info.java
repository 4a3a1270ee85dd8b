/**
 * Decisions of the handshake: admission, SYN cookies, options, sequence numbers, limits per peer.
 */
package org.rddp.tcp.handshake;
