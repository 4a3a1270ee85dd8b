package org.rddp.tcp;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * How a stack behaves. Times in nanoseconds.
 *
 * @param receiveBuffer octets that a peer may send ahead of {@link TcpStream#consumed}, per
 *     connection, 2048 to 2^30; the packets they come in stay in the pool
 * @param windowScale whether the window scale option is offered (RFC 7323 section 2); without it a
 *     window is at most 65535 octets
 * @param timestamps whether the timestamps option is offered (RFC 7323 section 3)
 * @param selectiveAcknowledgment whether SACK is offered (RFC 2018)
 * @param ecn whether explicit congestion notification is offered and accepted (RFC 3168)
 * @param congestion what limits how much is in flight
 * @param nagle whether a segment that is not full waits while data is in flight, so that FPDUs are
 *     packed (RFC 9293 section 3.7.4, RFC 5044 appendix A.2)
 * @param backlog handshakes under way per listener, at least 1
 * @param peerBacklog handshakes under way that one remote address may have begun, at least 1
 * @param synCookies whether handshakes beyond the backlog are answered without state (RFC 4987
 *     section 3.6)
 * @param connections connections in all, 1 to 2^24
 * @param peerConnections connections with one remote address, 1 to 2^24
 * @param challengeAcknowledgments challenge ACKs a second at most, over all connections (RFC 5961
 *     section 7), at least 1
 * @param connectTimeout how long a connection may take to be established
 * @param userTimeout how long data may stay unacknowledged before the connection is given up
 * @param keepAlive how long a connection may be silent before the peer is asked for a sign of life
 *     (RFC 9293 section 3.8.4); {@link Long#MAX_VALUE} for never
 * @param keepAliveInterval how long an answer to that may take before it is asked again
 * @param keepAliveProbes how often it is asked before the connection is given up, 1 to 100
 * @param timeWait how long a closed connection is remembered; RFC 9293 says four minutes, which
 *     predates links of today
 * @param initialRetransmission the retransmission timeout before a round trip has been measured
 * @param minimumRetransmission the least retransmission timeout; less than a peer delays its
 *     acknowledgments (Linux: 40 ms and more) makes needless retransmissions
 * @param maximumRetransmission the greatest retransmission timeout
 * @param minimumProbe the least time without an acknowledgment after which a tail loss probe leaves
 *     (RFC 8985 section 7.2), otherwise two round trips; less makes needless probes whenever a
 *     peer's thread is held up for a moment
 * @param peerAcknowledgmentDelay how long a peer is taken to delay the acknowledgment of a lone
 *     segment (TLP.max_ack_delay of RFC 8985); Linux: 40 ms
 * @param acknowledgmentDelay how long the acknowledgment of a single segment may wait for data to
 *     ride on, 0 to half a second (RFC 9293 section 3.8.6.3); 0: to the end of the burst
 */
@RecordBuilder
public record TcpSettings(
    int receiveBuffer,
    boolean windowScale,
    boolean timestamps,
    boolean selectiveAcknowledgment,
    boolean ecn,
    CongestionAlgorithm congestion,
    boolean nagle,
    int backlog,
    int peerBacklog,
    boolean synCookies,
    int connections,
    int peerConnections,
    int challengeAcknowledgments,
    long connectTimeout,
    long userTimeout,
    long keepAlive,
    long keepAliveInterval,
    int keepAliveProbes,
    long timeWait,
    long initialRetransmission,
    long minimumRetransmission,
    long maximumRetransmission,
    long minimumProbe,
    long peerAcknowledgmentDelay,
    long acknowledgmentDelay)
    implements TcpSettingsBuilder.With {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;

  /** Defaults for a data centre: 1 MiB, every option, retransmission after 0.2 to 60 s. */
  public static final TcpSettings DEFAULTS =
      TcpSettingsBuilder.builder()
          .receiveBuffer(1 << 20)
          .windowScale(true)
          .timestamps(true)
          .selectiveAcknowledgment(true)
          .ecn(true)
          .congestion(CongestionAlgorithm.CUBIC)
          .nagle(false)
          .backlog(256)
          .peerBacklog(128)
          .synCookies(true)
          .connections(65536)
          .peerConnections(32768)
          .challengeAcknowledgments(1000)
          .connectTimeout(30 * SECOND)
          .userTimeout(60 * SECOND)
          .keepAlive(Long.MAX_VALUE)
          .keepAliveInterval(75 * SECOND)
          .keepAliveProbes(9)
          .timeWait(SECOND)
          .initialRetransmission(SECOND)
          .minimumRetransmission(200 * MILLISECOND)
          .maximumRetransmission(60 * SECOND)
          .minimumProbe(MILLISECOND)
          .peerAcknowledgmentDelay(40 * MILLISECOND)
          .acknowledgmentDelay(0)
          .build();

  /** Checks the ranges. */
  public TcpSettings {
    require(receiveBuffer >= 2048 && receiveBuffer <= 1 << 30, "receive buffer", receiveBuffer);
    require(backlog >= 1, "backlog", backlog);
    require(connections >= 1 && connections <= 1 << 24, "connections", connections);
    require(peerBacklog >= 1, "backlog per peer", peerBacklog);
    require(
        peerConnections >= 1 && peerConnections <= 1 << 24,
        "connections per peer",
        peerConnections);
    require(challengeAcknowledgments >= 1, "challenge acknowledgments", challengeAcknowledgments);
    require(connectTimeout > 0, "connect timeout", connectTimeout);
    require(userTimeout > 0, "user timeout", userTimeout);
    require(keepAlive > 0, "keep-alive", keepAlive);
    require(keepAliveInterval > 0, "keep-alive interval", keepAliveInterval);
    require(keepAliveProbes >= 1 && keepAliveProbes <= 100, "keep-alive probes", keepAliveProbes);
    require(timeWait >= 0, "time-wait", timeWait);
    require(minimumRetransmission > 0, "minimum retransmission", minimumRetransmission);
    require(
        initialRetransmission >= minimumRetransmission,
        "initial retransmission",
        initialRetransmission);
    require(
        maximumRetransmission >= initialRetransmission,
        "maximum retransmission",
        maximumRetransmission);
    require(minimumProbe > 0, "minimum probe", minimumProbe);
    require(peerAcknowledgmentDelay >= 0, "peer's acknowledgment delay", peerAcknowledgmentDelay);
    require(
        acknowledgmentDelay >= 0 && acknowledgmentDelay <= SECOND / 2,
        "acknowledgment delay",
        acknowledgmentDelay);
  }

  private static void require(boolean sound, String name, long value) {
    if (!sound) {
      throw new IllegalArgumentException(name + " " + value + " is out of range");
    }
  }
}
