package org.rddp.client;

import java.net.InetAddress;
import java.time.Duration;

/**
 * The peer that a queue pair expects: what the two programs have told each other by other means.
 *
 * @param localAddress an address of the own interface, the one that the peer has been told
 * @param remoteAddress the peer's, of the same family; both are link-local, or neither is
 * @param remoteNumber the peer's number, 0 to 2^24 - 1
 * @param psn the number from which the own sends are counted, 0 to 2^24 - 1, a secret of the two
 *     ends (the first packet sequence number, in the words of InfiniBand); or {@link #UNKNOWN_PSN}
 * @param remotePsn that of the peer's sends
 * @param timeout how long requests other than receives may wait for the peer, in milliseconds, 0 to
 *     2^31 - 1 of them; it may be half as long again. Zero: for ever. Where nothing waits, nothing
 *     is given up
 */
public record ExpectedPeer(
    InetAddress localAddress,
    InetAddress remoteAddress,
    int remoteNumber,
    int psn,
    int remotePsn,
    Duration timeout) {
  /** The own PSN is said later: {@link QueuePairNumber#sayPsn}. */
  public static final int UNKNOWN_PSN = -1;
}
