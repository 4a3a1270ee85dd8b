package org.rddp.ddp.sending;

import org.rddp.ddp.segment.DdpErrorReport;

/**
 * Callbacks of a stream's sending half: the order of messages, their completion, and responses. All
 * calls are made on the engine's thread.
 */
public interface SendHandler {
  /**
   * Whether the first posted message may be sent now. After false, {@link DdpSender#wake} makes DDP
   * ask again; responses are sent meanwhile.
   *
   * @param token as posted
   * @param rsvdUlp the user's octet, as posted
   */
  boolean mayStart(long token, int rsvdUlp);

  /**
   * Runs a posted local operation: all messages posted before it have been passed to TCP, and none
   * posted after it. {@link #mayStart} has returned true for it.
   *
   * @param token as posted
   */
  default void onLocalOperation(long token) {}

  /**
   * A message has been passed to TCP, which sends it as long as the connection lives: its memory
   * belongs to the user again. It is not known whether the peer has received it (RFC 5041 section
   * 5.4).
   *
   * @param token as posted
   * @param rsvdUlp the user's octet, as posted
   * @param octets its length
   */
  void onSent(long token, int rsvdUlp, long octets);

  /**
   * The peer's TCP has acknowledged a message. Only for a stream whose settings ask for it ({@link
   * org.rddp.ddp.DdpSettings#acknowledged}), some time after {@link #onSent} for each posted
   * message; or {@link #onSendFlushed}, if the stream fails or ends before.
   *
   * @param token as posted
   * @param rsvdUlp the user's octet, as posted
   * @param octets its length
   */
  default void onAcknowledged(long token, int rsvdUlp, long octets) {}

  /**
   * A message will not be sent, or not completely, or its acknowledgment will not come; its memory
   * belongs to the user again.
   */
  void onSendFlushed(long token, int rsvdUlp);

  /**
   * A message will not be sent, or not completely, because its memory was revoked: the user must
   * end the stream, since a message is missing.
   */
  void onSendRevoked(long token, int rsvdUlp);

  /**
   * Makes a deferred response, the next response to be sent.
   *
   * @param octets the request, from index 0; to be replaced by the response
   * @return octets of the response, 0 or more; or a negative number to refuse, and {@link
   *     #onResponseRefused} follows
   */
  default int onResponseDue(byte[] octets) {
    return -1;
  }

  /**
   * The user has refused to make a response and must end the stream.
   *
   * @param request the segment with the request
   */
  default void onResponseRefused(DdpErrorReport request) {}

  /**
   * A response has been passed to TCP.
   *
   * @param rsvdUlp the first of the user's octets of its header
   */
  void onResponseSent(int rsvdUlp);

  /**
   * The buffer of a response has been invalidated before all of the response was sent. Nothing more
   * is read from it, the response cannot be completed, and the user must end the stream.
   */
  void onSourceInvalidated(UnsentResponse unsent);
}
