package org.rddp.ddp.receiving;

import org.rddp.mpa.Ulpdu;

/**
 * Callbacks of a stream's receiving half: checks of segments before they are placed, Delivery of
 * messages, and the return of posted buffers. All calls are made on the engine's thread.
 */
public interface ReceiveHandler {
  /** Returned to refuse a segment. */
  int REFUSED = -1;

  /** Octets of a message's head, which {@link #onUntaggedMessage} gets. */
  int HEAD = 8;

  /**
   * Checks a tagged segment before anything of it is placed.
   *
   * @param rsvdUlp the user's octet of its header
   * @param octets of payload, 0 or more
   * @param last whether it is the last of its message
   * @return the {@link org.rddp.ddp.memory.AccessRights} that its placement needs, 0 or more; or
   *     {@link #REFUSED}, which fails the stream
   */
  int admitTagged(int rsvdUlp, int stag, long to, int octets, boolean last);

  /**
   * Checks whether a tagged segment received out of order may be placed early. {@link #admitTagged}
   * follows once everything before the segment has been received, and decides. The default
   * declines: the segment is then placed in order.
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
   * Checks an untagged segment before anything of it is placed. Called again if the segment must
   * wait for a buffer, or was received out of order.
   *
   * @param rsvdUlp the first of the user's five octets of its header
   * @return {@link #REFUSED}, which fails the stream; otherwise 0, or {@link #HEAD} if a message of
   *     that many octets needs no memory: the user gets the octets as its head, and only so
   */
  int admitUntagged(int qn, int rsvdUlp);

  /**
   * Checks whether an untagged segment received out of order may be placed early. {@link
   * #admitUntagged} follows in order, and decides.
   *
   * @return as {@link #admitUntagged}; with {@link #REFUSED} it is placed in order
   */
  default int admitUntaggedEarly(int qn, int rsvdUlp) {
    return admitUntagged(qn, rsvdUlp);
  }

  /**
   * A segment has come for a queue without buffers: the user may post some within this call. Not
   * called again if the segment is held until one is posted.
   *
   * @param qn Queue Number of a queue of posted buffers
   */
  default void onBufferMissing(int qn) {}

  /**
   * Whether the user can take a Tagged Message now; only asked on a stream that may hold segments.
   * After false, {@code DdpStream.resumeReceiving} makes DDP ask again.
   *
   * @param held whether the message has been held: the user is resuming the stream
   */
  default boolean mayDeliverTagged(boolean held) {
    return true;
  }

  /**
   * A Tagged Message is Delivered. DDP knows only its last segment, not its length (RFC 5041
   * section 5.2).
   *
   * @param rsvdUlp the user's octet
   * @param to Tagged Offset of its last segment's payload; undefined if that is empty
   * @param octets of payload in its last segment
   */
  void onTaggedMessage(int rsvdUlp, int stag, long to, int octets);

  /**
   * An Untagged Message is Delivered; its buffer belongs to the user again.
   *
   * @param token of the buffer, as posted
   * @param head the message's first eight octets as a big-endian number, 0 if it is shorter
   * @param rsvdUlp the first of the user's five octets, and {@code rsvdUlpRest} the other four, as
   *     its last segment had them
   * @param octets the ULP Message Length, 0 to 2^32-1
   */
  void onUntaggedMessage(
      int qn, int msn, long token, long head, int rsvdUlp, int rsvdUlpRest, long octets);

  /**
   * A message of a queue read in place is Delivered. The user releases its place with {@link
   * InPlaceQueue#releasePlace}.
   *
   * @param rsvdUlp the first of the user's five octets
   * @param segment the segment that holds the whole message; valid only during this call
   * @param from offset of the message in the segment
   * @param octets its length
   */
  void onMessageInPlace(int qn, int rsvdUlp, Ulpdu segment, int from, int octets);

  /** A receive that the user has refused ends, after those posted before it. */
  default void onReceiveRefused(int qn, long token, int status) {}

  /** A posted buffer will not be filled; its memory belongs to the user again. */
  void onReceiveFlushed(int qn, long token);

  /**
   * A posted buffer will not be filled because its memory was revoked before its message came,
   * which failed the stream.
   */
  default void onReceiveRevoked(int qn, long token) {
    onReceiveFlushed(qn, token);
  }

  /**
   * A posted buffer will not be filled because it is shorter than its message, which failed the
   * stream.
   */
  default void onReceiveTooShort(int qn, long token) {
    onReceiveFlushed(qn, token);
  }
}
