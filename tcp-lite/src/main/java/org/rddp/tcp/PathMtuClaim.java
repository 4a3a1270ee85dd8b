package org.rddp.tcp;

/**
 * The claim of an ICMP message about a path, kept until a loss confirms it or an acknowledgment
 * refutes it (RFC 5927 section 7.2).
 *
 * @param position stream position of the segment that the message quotes
 * @param mtu largest packet that the path carries, in octets
 */
record PathMtuClaim(long position, int mtu) {}
