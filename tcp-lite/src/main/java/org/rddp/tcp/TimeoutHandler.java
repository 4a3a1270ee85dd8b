package org.rddp.tcp;

/** Handles expirations of the retransmission timer. Called on the stack's thread. */
@FunctionalInterface
public interface TimeoutHandler {
  /**
   * The timer of a connection has expired. The handler may read the connection's addresses and
   * ports, but must not use it otherwise.
   *
   * @param timeout that has expired, in nanoseconds
   * @param earlier timeouts before it without an acknowledgment of new data in between
   */
  void onTimeout(TcpConnection connection, long timeout, int earlier);
}
