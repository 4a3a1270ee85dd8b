package org.rddp.tcp;

/** Learns of expirations of the retransmission timer. Called on the stack's thread. */
@FunctionalInterface
public interface TimeoutHandler {
  /**
   * The timer of a connection has expired. The handler must not use the connection but for its
   * addresses and ports.
   *
   * @param timeout that has expired, in nanoseconds
   * @param earlier timeouts before it without an acknowledgment of new data in between
   */
  void onTimeout(TcpConnection connection, long timeout, int earlier);
}
