package org.rddp.tcp;

/**
 * What an ICMP message claims of a path, kept until loss confirms it or an acknowledgment refutes
 * it (RFC 5927 section 7.2).
 *
 * @param position stream position of the segment that the message quotes
 * @param mtu largest packet that is said to pass, in octets
 */
record PathMtuClaim(long position, int mtu) {}
