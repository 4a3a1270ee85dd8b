package org.rddp.tcp;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.rddp.ip.HostAddress;
import org.rddp.tcp.handshake.SynChoices;
import org.rddp.tcp.handshake.SynOffer;

/**
 * The settings of a stack. Times in nanoseconds.
 *
 * @param receiveBuffer octets that a peer may send ahead of {@link TcpStream#consumed}, per
 *     connection, 2048 to 2^30; their packets stay in the pool
 * @param windowScale whether the window scale option is offered (RFC 7323 section 2); without it a
 *     window is at most 65535 octets
 * @param timestamps whether the timestamps option is offered (RFC 7323 section 3)
 * @param selectiveAcknowledgment whether SACK is offered (RFC 2018)
 * @param ecn whether explicit congestion notification is offered and accepted (RFC 3168); DCTCP
 *     needs it
 * @param accurateEcn when accurate ECN (RFC 9768) is used instead; not without {@code ecn}
 * @param congestion congestion control, except of the networks
 * @param networks networks with a congestion control of their own; the first that has an address
 *     counts
 * @param dscp Differentiated Services codepoint of every packet, 0 to 63 (RFC 9293 section 3.9.2);
 *     {@link TcpConnection#dscp} sets another one for a connection
 * @param backlog handshakes in progress per listener, at least 1
 * @param peerBacklog handshakes in progress that one remote address may have begun, at least 1
 * @param synCookies whether handshakes beyond the backlog are answered without state (RFC 4987
 *     section 3.6)
 * @param connections connections in all, 1 to 2^24
 * @param peerConnections connections with one remote address, 1 to 2^24
 * @param challengeAcknowledgments limit of challenge ACKs per second, over all connections (RFC
 *     5961 section 7), at least 1
 * @param connectTimeout limit for a connection to be established
 * @param userTimeout time that data may stay unacknowledged before the connection is given up
 * @param keepAlive time without a segment of the peer before it is probed (RFC 9293 section 3.8.4);
 *     {@link Long#MAX_VALUE} for never
 * @param keepAliveInterval time between keep-alive probes
 * @param keepAliveProbes probes without an answer before the connection is given up, 1 to 100
 * @param timeWait duration of TIME-WAIT; RFC 9293 requires four minutes, which today's links do not
 *     need
 * @param initialRetransmission the retransmission timeout before a round trip has been measured
 * @param minimumRetransmission the least retransmission timeout; less than the peer's
 *     acknowledgment delay (Linux: 40 ms and more) causes spurious retransmissions
 * @param maximumRetransmission the greatest retransmission timeout
 * @param minimumProbe the least time without an acknowledgment before a tail loss probe, which is
 *     otherwise two round trips (RFC 8985 section 7.2); less causes unnecessary probes whenever the
 *     peer's thread is delayed
 * @param pacedRoundTrip the least round trip of paths on which new segments are spread over it,
 *     instead of leaving as soon as the window allows: many turns of the engine; {@link
 *     Long#MAX_VALUE} for never
 * @param peerAcknowledgmentDelay time by which a peer may delay the acknowledgment of a single
 *     segment (TLP.max_ack_delay of RFC 8985); Linux: 40 ms
 * @param acknowledgmentDelay time that the acknowledgment of a single segment may wait for data
 *     that carries it, 0 to half a second (RFC 9293 section 3.8.6.3); 0 for the end of the turn
 */
@RecordBuilder
public record TcpSettings(
    int receiveBuffer,
    boolean windowScale,
    boolean timestamps,
    boolean selectiveAcknowledgment,
    boolean ecn,
    AccurateEcn accurateEcn,
    CongestionAlgorithm congestion,
    List<NetworkCongestion> networks,
    int dscp,
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
    long pacedRoundTrip,
    long peerAcknowledgmentDelay,
    long acknowledgmentDelay)
    implements TcpSettingsBuilder.With {
  /** The largest Differentiated Services codepoint (RFC 2474). */
  public static final int LARGEST_DSCP = 63;

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
          .accurateEcn(AccurateEcn.ACCEPT)
          .congestion(CongestionAlgorithm.CUBIC)
          .networks(List.of())
          .dscp(0)
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
          .pacedRoundTrip(MILLISECOND)
          .peerAcknowledgmentDelay(40 * MILLISECOND)
          .acknowledgmentDelay(0)
          .build();

  /** What a stack offers in its SYNs. */
  SynOffer offer() {
    return new SynOffer(
        new SynChoices(windowScale, timestamps, selectiveAcknowledgment),
        ecn,
        accurateEcn != AccurateEcn.OFF,
        accurateEcn == AccurateEcn.ASK,
        receiveBuffer);
  }

  /** Checks the ranges. */
  public TcpSettings {
    require(receiveBuffer >= 2048 && receiveBuffer <= 1 << 30, "receive buffer", receiveBuffer);
    networks = List.copyOf(networks);
    boolean dctcp =
        congestion == CongestionAlgorithm.DCTCP
            || networks.stream().anyMatch(n -> n.congestion() == CongestionAlgorithm.DCTCP);
    if (dctcp && !ecn) {
      throw new IllegalArgumentException("DCTCP without ECN");
    }
    require(dscp >= 0 && dscp <= LARGEST_DSCP, "DSCP", dscp);
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
    require(pacedRoundTrip > 0, "paced round trip", pacedRoundTrip);
    require(peerAcknowledgmentDelay >= 0, "peer's acknowledgment delay", peerAcknowledgmentDelay);
    require(
        acknowledgmentDelay >= 0 && acknowledgmentDelay <= SECOND / 2,
        "acknowledgment delay",
        acknowledgmentDelay);
  }

  /** The congestion control of connections with an address. */
  CongestionAlgorithm congestionWith(HostAddress remote) {
    for (NetworkCongestion each : networks) {
      if (each.remote().contains(remote)) {
        return each.congestion();
      }
    }
    return congestion;
  }

  private static void require(boolean sound, String name, long value) {
    if (!sound) {
      throw new IllegalArgumentException(name + " " + value + " is out of range");
    }
  }
}
