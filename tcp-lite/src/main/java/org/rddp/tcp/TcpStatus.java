package org.rddp.tcp;

/**
 * A TCP connection at one moment, for people and tools. Times in nanoseconds.
 *
 * @param state the state
 * @param roundTrip the smoothed round trip, 0 when none has been measured
 * @param roundTripVariation the variation of the round trip, likewise
 * @param retransmissionTimeout the retransmission timeout, with its backoff
 * @param congestionWindow CWND in octets
 * @param slowStartThreshold SSTHRESH in octets
 * @param sendWindow octets that the peer allows from its last acknowledgment on
 * @param receiveWindow octets that the peer may still send
 * @param emss octets of the largest segment
 * @param sent payload octets sent, each counted once
 * @param received payload octets received in order
 * @param inFlight payload octets sent and not acknowledged
 * @param unsent payload octets that wait to be sent
 * @param retransmitted segments sent again
 */
public record TcpStatus(
    TcpState state,
    long roundTrip,
    long roundTripVariation,
    long retransmissionTimeout,
    long congestionWindow,
    long slowStartThreshold,
    long sendWindow,
    long receiveWindow,
    int emss,
    long sent,
    long received,
    long inFlight,
    long unsent,
    int retransmitted) {
  /** The status of a connection that has not been opened. */
  public static final TcpStatus NONE =
      new TcpStatus(TcpState.CLOSED, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
