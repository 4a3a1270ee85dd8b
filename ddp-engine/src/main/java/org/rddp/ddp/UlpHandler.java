package org.rddp.ddp;

import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.sending.UnsentResponse;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.Ulpdu;
import org.rddp.tcp.CloseReason;

/**
 * What a user of DDP implements: how a {@link DdpStream} speaks upward. All calls come on the
 * engine's thread; a handler may call back into its stream from any of them.
 */
public interface UlpHandler {
  /** The answer to a segment that is not to be placed. */
  int REFUSED = -1;

  /**
   * Responder: a peer wants a stream. The user answers, now or later, with {@link DdpStream#accept}
   * or {@link DdpStream#reject}.
   *
   * @param privateData 0 to 512 octets
   */
  void onRequest(byte[] privateData);

  /**
   * The stream is up in both directions.
   *
   * @param privateData Initiator: what the Responder said, 0 to 512 octets; Responder: empty
   */
  void onFullOperation(byte[] privateData);

  /**
   * Full Operation is about to begin: asks for bits of the user's octet that every message carries
   * besides those that were posted.
   *
   * @param version DV of every segment, 0 or 1
   */
  default int ulpBits(int version) {
    return 0;
  }

  /**
   * Initiator: the Responder declined. The connection stays until it is closed.
   *
   * @param privateData what it said, 0 to 512 octets
   */
  void onRejected(byte[] privateData);

  /**
   * Asks about a tagged segment before anything of it is placed.
   *
   * @param rsvdUlp the user's octet of its header
   * @param octets of payload, 0 or more
   * @param last whether it is its message's last
   * @return the {@link org.rddp.ddp.memory.AccessRights} that its placement needs, 0 or more; or
   *     {@link #REFUSED}: {@link #onRefused} follows
   */
  int admitTagged(int rsvdUlp, int stag, long to, int octets, boolean last);

  /**
   * Asks about a tagged segment before its turn: whether its payload may be placed now. {@link
   * #admitTagged} follows when it has its turn, and decides whether it was right. Declines unless
   * overridden; nothing of the segment is placed then before its turn.
   *
   * @param rsvdUlp the user's octet of its header
   * @param octets of payload, 0 or more
   * @return the {@link org.rddp.ddp.memory.AccessRights} that its placement needs, 0 or more; or
   *     {@link #REFUSED}
   */
  default int admitEarly(int rsvdUlp, int stag, long to, int octets) {
    return REFUSED;
  }

  /**
   * Asks about an untagged segment before anything of it is placed; more than once, if it comes
   * before its turn.
   *
   * @param rsvdUlp the first of the user's five octets of its header
   * @return 0, or {@link #REFUSED}: {@link #onRefused} follows
   */
  int admitUntagged(int qn, int rsvdUlp);

  /**
   * Asks, on a stream whose messages may wait for a buffer, whether the user has room for a Tagged
   * Message to be Delivered. After a no, {@link DdpStream#resumeReceiving} makes DDP ask again.
   */
  default boolean mayDeliverTagged() {
    return true;
  }

  /**
   * A Tagged Message is Delivered. Its length is not known to DDP, only its last segment (RFC 5041
   * section 5.2).
   *
   * @param rsvdUlp the user's octet
   * @param to Tagged Offset of its last segment's payload; means nothing if there is no payload
   * @param octets of payload in its last segment
   */
  void onTaggedMessage(int rsvdUlp, int stag, long to, int octets);

  /**
   * An Untagged Message is Delivered; its buffer is the user's again.
   *
   * @param id of the buffer, as it was posted
   * @param head the message's first eight octets as a number, 0 if it has fewer
   * @param rsvdUlp the first of the user's five octets, and {@code rsvdUlpRest} the other four, as
   *     its last segment had them
   * @param octets the ULP Message Length, 0 to 2^32-1
   */
  void onUntaggedMessage(
      int qn, int msn, long id, long head, int rsvdUlp, int rsvdUlpRest, long octets);

  /**
   * A message of a queue whose messages are read in place is Delivered. The user gives its place
   * back with {@link DdpStream#releasePlace}.
   *
   * @param rsvdUlp the first of the user's five octets
   * @param segment the segment that holds all of it; valid only during this call
   * @param from where in the segment the message begins
   * @param octets its length
   */
  void onMessageInPlace(int qn, int rsvdUlp, Ulpdu segment, int from, int octets);

  /**
   * Asks whether the first of the posted messages may be sent now. After a no, {@link
   * DdpStream#resumeSending} makes DDP ask again; responses are sent meanwhile.
   *
   * @param id as it was posted
   * @param rsvdUlp the user's octet, as it was posted
   */
  boolean mayStart(long id, int rsvdUlp);

  /**
   * What was posted with {@link DdpStream#postLocalOperation} has its turn: all that was posted
   * before it has been handed to TCP, and nothing that was posted behind it. {@link #mayStart} has
   * been asked.
   *
   * @param id as it was posted
   */
  default void onLocalOperation(long id) {}

  /**
   * A message has been handed to TCP, which sends it as long as the connection lives: its memory is
   * the user's again. Whether the peer has it is not known (RFC 5041 section 5.4).
   *
   * @param id as it was posted
   * @param rsvdUlp the user's octet, as it was posted
   * @param octets its length
   */
  void onSent(long id, int rsvdUlp, long octets);

  /**
   * A response that was posted with {@link DdpStream#postDeferredResponse} is due: nothing that was
   * posted before it is still to be sent as a response.
   *
   * @param octets the question, from index 0; to be replaced by the answer
   * @return octets of the answer, 0 or more; or {@link #REFUSED}, and {@link #onResponseRefused}
   *     follows
   */
  default int onResponseDue(byte[] octets) {
    return REFUSED;
  }

  /**
   * The user has refused to answer: the user ends the stream.
   *
   * @param question the segment with what was asked
   */
  default void onResponseRefused(DdpErrorReport question) {}

  /** A response has been handed to TCP. */
  void onResponseSent();

  /**
   * The buffer that a response is sent from has been invalidated before all of it was sent. Nothing
   * more is read from it, and the response cannot be completed: the user ends the stream.
   */
  void onSourceInvalidated(UnsentResponse unsent);

  /** A message will not be sent, or not in full; its memory is the user's again. */
  void onSendFlushed(long id, int rsvdUlp);

  /** A posted buffer will not be filled; its memory is the user's again. */
  void onReceiveFlushed(int qn, long id);

  /** The same; it is shorter than the message that came for it, which is why the stream failed. */
  default void onReceiveTooShort(int qn, long id) {
    onReceiveFlushed(qn, id);
  }

  /**
   * The peer sent a segment that RFC 5041 section 7.1 refuses. Nothing of it was placed, everything
   * outstanding has been flushed, and what arrives from now on is dropped. The user may send one
   * more message, and closes or aborts the stream; DDP does not do so by itself.
   */
  void onError(DdpError error, DdpErrorReport report);

  /** The user refused a segment. The same holds as after {@link #onError}. */
  void onRefused(DdpErrorReport report);

  /**
   * The layer below failed. The same holds as after {@link #onError}, where the connection still
   * allows it.
   */
  void onLlpError(MpaError error, String detail);

  /** The peer has closed its half. Ours stays usable. */
  void onPeerClosed();

  /** The connection is gone, everything outstanding has been flushed. Called once, last. */
  void onClosed(CloseReason reason);
}
