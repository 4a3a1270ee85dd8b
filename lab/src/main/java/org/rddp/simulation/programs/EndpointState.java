package org.rddp.simulation.programs;

import org.rddp.client.types.Reason;

/** What has happened at one end of a connection, as its program and its engine see it. */
final class EndpointState {
  /** The program knows the connection's number, and the connection has not ended. */
  boolean known;

  boolean established;
  boolean peerClosed;
  boolean closing;

  /** A request or a receive was flushed, so new requests will be flushed, too. */
  boolean flushed;

  /** Plain DDP: its stream has failed; the program may not have the event yet. */
  boolean failed;

  /** Something has happened that may end the connection. */
  boolean disturbed;

  /** It has posted a wrong request. */
  boolean wrong;

  /** It posts no more receives: the peer has sent a message too many. */
  boolean receivesStopped;

  /** It has posted its last message. */
  boolean goodbye;

  /** It has received the peer's last message. */
  boolean peerGoodbye;

  /** The program knows that the connection has ended, and releases its resources. */
  boolean tidying;

  /** Its session has ended, or power has failed. */
  boolean gone;

  /** The connection has ended in the engine. */
  boolean goneInEngine;

  /** Why the connection ended; null before. */
  Reason reason;

  int detail;

  /** Plain DDP: the stream has failed, and the program has not ended the connection. */
  boolean isStreamFailed() {
    return reason != null && known;
  }

  /** Whether the program knows that the connection has ended. */
  boolean isGone() {
    return tidying || gone;
  }
}
