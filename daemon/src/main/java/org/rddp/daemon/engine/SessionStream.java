package org.rddp.daemon.engine;

import org.rddp.ddp.DdpStream;
import org.rddp.tcp.StreamHandler;

/**
 * The ULP of a session's connection, which the program has chosen: what becomes of its work
 * requests, and how the protocol begins and ends. What happens to the stream it tells its {@link
 * SessionConnection}. Engine thread only.
 */
interface SessionStream extends RequestTarget {
  /** What the TCP connection speaks to. */
  StreamHandler transport();

  /** The DDP Stream, by which an STag can be tied to this connection alone. */
  DdpStream ddp();

  /** Responder: the most octets of private data that an answer carries. */
  int maxPrivateData();

  /** Responder: answers the peer's request with yes. */
  void accept(byte[] privateData);

  /** Responder: answers the peer's request with no. The connection stays until it is closed. */
  void reject(byte[] privateData);

  /** Sends what was posted and closes our half. */
  void close();

  /** Flushes everything and resets the connection. */
  void abort();
}
