package org.rddp.tcp;

/**
 * How a stack behaves. Times in nanoseconds.
 *
 * @param receiveBuffer octets that a peer may send ahead of {@link TcpStream#consumed}, per
 *     connection, 2048 to 2^30; the packets they come in stay in the pool
 * @param windowScale whether the window scale option is offered (RFC 7323 section 2); without it a
 *     window is at most 65535 octets
 * @param timestamps whether the timestamps option is offered (RFC 7323 section 3)
 * @param backlog handshakes under way per listener, at least 1
 * @param connections connections in all, at least 1
 * @param connectTimeout how long a connection may take to be established
 * @param userTimeout how long data may stay unacknowledged before the connection is given up
 * @param timeWait how long a closed connection is remembered; RFC 9293 says four minutes, which
 *     predates links of today
 * @param initialRetransmission the retransmission timeout before a round trip has been measured
 * @param minimumRetransmission the least retransmission timeout; less than a peer delays its
 *     acknowledgments (Linux: 40 ms and more) makes needless retransmissions
 * @param maximumRetransmission the greatest retransmission timeout
 * @param acknowledgmentDelay how long the acknowledgment of a single segment may wait for data to
 *     ride on, 0 to half a second (RFC 9293 section 3.8.6.3); 0: to the end of the burst
 */
public record TcpSettings(
    int receiveBuffer,
    boolean windowScale,
    boolean timestamps,
    int backlog,
    int connections,
    long connectTimeout,
    long userTimeout,
    long timeWait,
    long initialRetransmission,
    long minimumRetransmission,
    long maximumRetransmission,
    long acknowledgmentDelay) {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;

  /** Defaults for a data centre: 1 MiB, both options, retransmission after 0.2 to 60 s. */
  public static final TcpSettings DEFAULTS =
      new TcpSettings(
          1 << 20,
          true,
          true,
          256,
          65536,
          30 * SECOND,
          60 * SECOND,
          SECOND,
          SECOND,
          200 * MILLISECOND,
          60 * SECOND,
          0);

  /** Checks the ranges. */
  public TcpSettings {
    require(receiveBuffer >= 2048 && receiveBuffer <= 1 << 30, "receive buffer", receiveBuffer);
    require(backlog >= 1, "backlog", backlog);
    require(connections >= 1 && connections <= 1 << 24, "connections", connections);
    require(connectTimeout > 0, "connect timeout", connectTimeout);
    require(userTimeout > 0, "user timeout", userTimeout);
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

  /** The same with another receive buffer. */
  public TcpSettings withReceiveBuffer(int octets) {
    return new TcpSettings(
        octets,
        windowScale,
        timestamps,
        backlog,
        connections,
        connectTimeout,
        userTimeout,
        timeWait,
        initialRetransmission,
        minimumRetransmission,
        maximumRetransmission,
        acknowledgmentDelay);
  }

  /** The same with other options offered. */
  public TcpSettings withOptions(boolean offerWindowScale, boolean offerTimestamps) {
    return new TcpSettings(
        receiveBuffer,
        offerWindowScale,
        offerTimestamps,
        backlog,
        connections,
        connectTimeout,
        userTimeout,
        timeWait,
        initialRetransmission,
        minimumRetransmission,
        maximumRetransmission,
        acknowledgmentDelay);
  }

  /** The same with other limits. */
  public TcpSettings withLimits(int handshakes, int inAll) {
    return new TcpSettings(
        receiveBuffer,
        windowScale,
        timestamps,
        handshakes,
        inAll,
        connectTimeout,
        userTimeout,
        timeWait,
        initialRetransmission,
        minimumRetransmission,
        maximumRetransmission,
        acknowledgmentDelay);
  }

  /** The same with other timeouts. */
  public TcpSettings withTimeouts(long connect, long user, long closed) {
    return new TcpSettings(
        receiveBuffer,
        windowScale,
        timestamps,
        backlog,
        connections,
        connect,
        user,
        closed,
        initialRetransmission,
        minimumRetransmission,
        maximumRetransmission,
        acknowledgmentDelay);
  }

  /** The same with other retransmission timeouts. */
  public TcpSettings withRetransmission(long initial, long minimum, long maximum) {
    return new TcpSettings(
        receiveBuffer,
        windowScale,
        timestamps,
        backlog,
        connections,
        connectTimeout,
        userTimeout,
        timeWait,
        initial,
        minimum,
        maximum,
        acknowledgmentDelay);
  }

  /** The same with another delay of acknowledgments. */
  public TcpSettings withAcknowledgmentDelay(long delay) {
    return new TcpSettings(
        receiveBuffer,
        windowScale,
        timestamps,
        backlog,
        connections,
        connectTimeout,
        userTimeout,
        timeWait,
        initialRetransmission,
        minimumRetransmission,
        maximumRetransmission,
        delay);
  }
}
