package org.rddp.interop.siw;

/**
 * A buffer of the peer's.
 *
 * @param stag of the buffer
 * @param to Tagged Offset of its first octet
 * @param octets of the buffer
 */
record RemoteBuffer(int stag, long to, int octets) {}
