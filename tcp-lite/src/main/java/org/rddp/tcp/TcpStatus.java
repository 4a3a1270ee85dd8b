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

  /** The values of a connection at this moment. */
  static TcpStatus of(TcpConnection connection) {
    Sender sender = connection.sender;
    Receiver receiver = connection.receiver;
    long sent = sender.sent();
    long next = Math.max(receiver.next(), 0);
    // The peer's FIN takes a position but is not payload.
    long received = next > 0 && receiver.finAt(next - 1) ? next - 1 : next;
    return new TcpStatus(
        connection.state(),
        sender.timeout.smoothed(),
        sender.timeout.variation(),
        sender.timeout.current(),
        sender.congestion.window(),
        sender.congestion.threshold(),
        sender.peerWindow(),
        receiver.remainingWindow(),
        sender.emss(),
        sent,
        received,
        sent - Math.min(Math.max(sender.una(), 0), sent),
        sender.end() - sent,
        sender.retransmitted());
  }
}
