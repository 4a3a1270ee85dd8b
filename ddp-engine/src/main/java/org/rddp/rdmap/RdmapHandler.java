package org.rddp.rdmap;

import org.rddp.ddp.sending.CompletionHandler;
import org.rddp.tcp.CloseReason;

/**
 * Callbacks from an {@link RdmapStream} to its user. All calls are made on the engine's thread; a
 * handler may call its stream from any of them.
 */
public interface RdmapHandler extends CompletionHandler {
  /** {@link #onError}'s layer for errors of RDMAP itself (RFC 5040 section 4.8). */
  int LAYER_RDMAP = 0;

  /** {@link #onError}'s layer for errors of DDP (RFC 5041 section 7.2). */
  int LAYER_DDP = 1;

  /** {@link #onError}'s layer for errors of MPA (RFC 5044 section 8). */
  int LAYER_LLP = 2;

  /**
   * A posted request has completed; its memory is the user's again. Every posted request completes
   * exactly once: receives in the order in which they were posted, and all others in theirs (RFC
   * 5040 section 5.5 rule 15), whatever their status. A receive completes within the call that
   * posts it only if it is refused and the first of its queue, or no more messages are received.
   *
   * <p>A send or a write that succeeded has been handed to TCP in full; it is not known whether the
   * peer has it, unless {@linkplain RdmapSettings#acknowledged acknowledgments} are waited for. A
   * read that succeeded has been answered, and its octets have been placed. A receive that
   * succeeded holds the peer's message.
   *
   * @param token as it was posted
   * @param kind of {@link CompletionKind}
   * @param status of {@link RdmapCompletionStatus}
   * @param octets the length of the message; 0 if the request failed
   */
  @Override
  void onCompletion(long token, int kind, int status, long octets);

  /**
   * A Send has come, and no receive is posted; one may be posted within this call. A user that
   * takes receives from its program's ring polls that here, so that it finds a receive posted
   * before the peer's Send. Does nothing unless overridden.
   */
  default void onReceiveMissing() {}

  /**
   * A message has been received. Calls {@link #onCompletion} unless overridden.
   *
   * @param token of the receive that holds it, as posted
   * @param octets its length
   * @param solicited whether the peer asks to wake the program (Solicited Event)
   * @param invalidated the local STag that the message has invalidated, or 0
   */
  default void onReceived(long token, long octets, boolean solicited, int invalidated) {
    onCompletion(token, CompletionKind.RECEIVE, RdmapCompletionStatus.SUCCESS, octets);
  }

  /**
   * Immediate data has been received, which leaves the receive's memory as it was. Calls {@link
   * #onReceived} unless overridden.
   *
   * @param token of the receive that it has consumed, as it was posted
   * @param data the immediate data
   * @param solicited whether the peer asks to wake the program (Solicited Event)
   */
  default void onImmediate(long token, long data, boolean solicited) {
    onReceived(token, Long.BYTES, solicited, 0);
  }

  /**
   * A message with immediate data has been received ({@link RdmapStream#postSendWithImmediate}).
   * Calls {@link #onReceived} unless overridden.
   *
   * @param token of the receive that holds it, as posted
   * @param octets its length
   * @param data the immediate data
   * @param solicited whether the peer wants the program to be woken for it
   */
  default void onReceivedWithImmediate(long token, long octets, int data, boolean solicited) {
    onReceived(token, octets, solicited, 0);
  }

  /**
   * The stream has failed. Every outstanding request has been flushed, except a receive that was
   * shorter than its message ({@link RdmapCompletionStatus#LOCAL_LENGTH_ERROR}); nothing more is
   * received, and our half of the connection closes once the peer has been told. The user aborts
   * the stream if the peer does not close its half in time.
   *
   * @param layer {@link #LAYER_RDMAP}, {@link #LAYER_DDP} or {@link #LAYER_LLP}
   * @param type that layer's Error Type, four bits
   * @param code that layer's Error Code, eight bits
   * @param detail for people to read
   */
  void onError(int layer, int type, int code, String detail);

  /**
   * The peer has ended the stream by a Terminate. A read or an atomic of ours that it names has
   * ended with {@link RdmapCompletionStatus#REMOTE_ACCESS_ERROR} or {@link
   * RdmapCompletionStatus#REMOTE_OPERATION_ERROR}; all else is as after {@link #onError}, which is
   * called unless this is overridden.
   */
  default void onTerminated(int layer, int type, int code, String detail) {
    onError(layer, type, code, detail);
  }

  /** The peer has closed its half: nothing more will be received. Ours stays usable. */
  void onPeerClosed();

  /**
   * The connection has ended and everything outstanding has completed. Called once, as the last
   * call.
   */
  void onClosed(CloseReason reason);
}
