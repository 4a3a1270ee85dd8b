package org.rddp.interop.siw;

/**
 * Memory of the peer's.
 *
 * @param stag by which it is named
 * @param to of its first octet
 * @param octets how many
 */
record RemoteBuffer(int stag, long to, int octets) {}
