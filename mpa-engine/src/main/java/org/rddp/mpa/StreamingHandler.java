package org.rddp.mpa;

import org.rddp.tcp.CloseReason;

/**
 * Callbacks to the user of a connection in streaming mode, before MPA is enabled and after it has
 * been rejected (RFC 5044 sections 7.1 and 7.1.2). All calls are made on the engine's thread.
 */
public interface StreamingHandler {
  /** The connection is established. */
  void onOpen(StreamingMode streaming);

  /**
   * Octets have arrived; they are valid only during this call.
   *
   * @return how many of them, counted from the first, are streaming data. If not all, MPA must have
   *     been started within this call, and the rest belongs to MPA
   */
  int onOctets(long address, int length);

  /** Sending may be tried again after {@link StreamingMode#send} took less than it was given. */
  void onSendable();

  /** The peer has closed its half, and MPA is not in use. */
  void onPeerClosed();

  /** The connection has ended. The last call, made once, whether or not MPA was in use. */
  void onClosed(CloseReason reason);
}
