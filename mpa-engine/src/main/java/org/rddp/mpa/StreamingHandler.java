package org.rddp.mpa;

import org.rddp.tcp.CloseReason;

/**
 * What a user of a connection in streaming mode implements: plain octets, before MPA is enabled and
 * after it has been declined (RFC 5044 sections 7.1 and 7.1.2). All calls come on the engine's
 * thread.
 */
public interface StreamingHandler {
  /** The connection is established. */
  void onOpen(StreamingMode streaming);

  /**
   * Octets have arrived; they are gone when this returns.
   *
   * @return how many of them, from the first, are streaming data. If not all, MPA has been started
   *     within this call and the rest is its
   */
  int onOctets(long address, int length);

  /** Sending may be tried again after {@link StreamingMode#send} took less than it was given. */
  void onSendable();

  /** The peer has closed its half, and MPA is not in use. */
  void onPeerClosed();

  /** The connection is gone; called once, last, whether or not MPA was in use. */
  void onClosed(CloseReason reason);
}
