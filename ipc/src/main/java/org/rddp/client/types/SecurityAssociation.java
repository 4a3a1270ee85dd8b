package org.rddp.client.types;

/**
 * A security association of ESP (RFC 4303), one direction between two hosts, without its keys. The
 * daemon checks what the components mean.
 *
 * @param spi Security Parameters Index, 256 to 2^32 - 1, unsigned
 * @param source address of the host that sends
 * @param destination address of the host that receives
 * @param tunnel whether whole IP packets are sealed; otherwise the payload of packets
 * @param algorithms encryption and integrity, such as {@code aes128gcm16}
 * @param esn whether sequence numbers have 64 bits
 * @param window packets in the receiver's window against replay; 0: the usual number
 * @param remote the peers that it is for, such as {@code 10.0.0.0/24}; empty: the other host
 * @param tcpOnly whether it is for TCP only, as it always is with a port; otherwise for ICMP, too
 * @param localPort the daemon's TCP port that it is for; 0: any
 * @param remotePort the peer's TCP port that it is for; 0: any
 * @param softOctets octets after which another should replace it; 0: never
 * @param hardOctets octets after which it ends; 0: never
 * @param softSeconds seconds after which another should replace it; 0: never
 * @param hardSeconds seconds after which it ends; 0: never
 */
public record SecurityAssociation(
    int spi,
    String source,
    String destination,
    boolean tunnel,
    String algorithms,
    boolean esn,
    int window,
    String remote,
    boolean tcpOnly,
    int localPort,
    int remotePort,
    long softOctets,
    long hardOctets,
    long softSeconds,
    long hardSeconds) {}
