package org.rddp.daemon.engine;

import org.rddp.mpa.Negotiated;
import org.rddp.tcp.TcpStatus;

/**
 * A connection of a session at one moment, for people and tools.
 *
 * @param number its number in the session
 * @param state its state, in lower case
 * @param ends its addresses
 * @param initiator whether the program has opened it
 * @param plainDdp whether it speaks plain DDP; otherwise RDMAP
 * @param age nanoseconds since it was opened
 * @param tcp the TCP connection
 * @param startup results of MPA's startup frames; null before the peer's arrives
 * @param sends requests of the send queue that have completed
 * @param sendsInFlight requests of the send queue that have not completed
 * @param receives receives that have completed
 * @param receivesPosted receives that wait for messages, without those of a shared queue
 * @param heldOctets octets of messages that wait for receives
 * @param error why it has failed; empty if it has not
 */
public record ConnectionStatus(
    int number,
    String state,
    ConnectionEnds ends,
    boolean initiator,
    boolean plainDdp,
    long age,
    TcpStatus tcp,
    Negotiated startup,
    long sends,
    long sendsInFlight,
    long receives,
    long receivesPosted,
    long heldOctets,
    String error) {}
