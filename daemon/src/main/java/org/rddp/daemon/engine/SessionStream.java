package org.rddp.daemon.engine;

import org.rddp.ddp.DdpStream;
import org.rddp.ddp.ScatterList;
import org.rddp.ipc.WorkRequest;
import org.rddp.tcp.StreamHandler;

/**
 * The ULP of a session's connection, which the program has chosen: what becomes of its work
 * requests, and how the protocol begins and ends. What happens to the stream it tells its {@link
 * SessionConnection}. Engine thread only.
 */
interface SessionStream {
  /** What the TCP connection speaks to. */
  StreamHandler transport();

  /** The DDP Stream, by which an STag can be tied to this connection alone. */
  DdpStream ddp();

  /**
   * Starts a work request.
   *
   * @param request its number in the session's table
   * @param address of its memory
   * @return false when its queue is full, or it is none that this ULP knows
   */
  boolean post(int request, WorkRequest work, long address);

  /** Starts a work request whose message lies in pieces. */
  boolean post(int request, WorkRequest work, ScatterList list);

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
