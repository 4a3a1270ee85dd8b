package org.rddp.interop.guest;

/**
 * A buffer of the peer's.
 *
 * @param stag of the buffer
 * @param to Tagged Offset of its first octet
 * @param octets of the buffer
 */
public record RemoteBuffer(int stag, long to, int octets) {}
