package org.rddp.client;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.rddp.client.types.Access;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.SessionLimits;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.ipc.ring.WorkRequest;

/**
 * The queues of a connection that speaks plain DDP (RFC 5041), where the program itself is the ULP:
 * Untagged Messages, each to the next receive of one of the peer's queues, and Tagged Messages into
 * memory that the peer has named. The two programs define what a message means; every DDP header
 * carries some octets for them (RsvdULP).
 *
 * <p>There is one send queue, one queue of receives for each Queue Number, and one of notices of
 * Tagged Messages. Messages are Delivered in the order in which they were sent, across all queues.
 *
 * <p>The rules for posts are those of {@link Connection}; their flag is {@link
 * SendFlags#SIGNALLED}.
 */
public final class DdpQueues {
  /** The largest RsvdULP of an untagged message. */
  public static final long MOST_UNTAGGED_ULP = 0xff_ffff_ffffL;

  /** The largest RsvdULP of a tagged message. */
  public static final int MOST_TAGGED_ULP = 0xff;

  private final WorkQueues queues;
  private final int[] depths;
  private final int[] receivesOutstanding;
  private final int taggedNotices;
  private int noticesOutstanding;

  DdpQueues(WorkQueues queues, ConnectionOptions options) {
    this.queues = queues;
    List<Integer> chosen = options.queues();
    depths = chosen.stream().mapToInt(Integer::intValue).toArray();
    receivesOutstanding = new int[depths.length];
    taggedNotices = options.taggedNotices();
  }

  /** Number of queues, here and at the peer; Queue Numbers are below it. */
  public int count() {
    return depths.length;
  }

  /**
   * Posts memory for the next message on a queue.
   *
   * @param qn Queue Number
   * @param workRequest the program's own number, given back in the completion
   * @param region with {@link Access#LOCAL_WRITE}
   * @param offset in the region
   * @param length the longest message that fits, 0 to 2^32 - 1
   * @return false when the queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postReceive(
      int qn, long workRequest, MemoryRegion region, long offset, long length) {
    queues.checkOpen();
    queues.checkMemory(region, offset, length);
    WorkQueues.checkWritable(region.rights(), "a receive");
    SubmissionEntry entry = claimReceive(qn, 1);
    return entry != null
        && received(qn, begin(entry, workRequest, qn).memory(region.stag(), offset, length));
  }

  /**
   * Posts memory in pieces for the next message on a queue.
   *
   * @param list one piece at least, in regions with {@link Access#LOCAL_WRITE}
   * @return false when the queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postReceive(int qn, long workRequest, ScatterList list) {
    queues.checkOpen();
    queues.checkMemory(list);
    WorkQueues.checkWritable(list.rights(), "a receive");
    SubmissionEntry entry = claimReceive(qn, list.pieces().slots());
    return entry != null && received(qn, begin(entry, workRequest, qn).memory(list.pieces()));
  }

  private SubmissionEntry claimReceive(int qn, int slots) {
    checkQueue(qn);
    return receivesOutstanding[qn] < depths[qn] ? queues.session().rings().claim(slots) : null;
  }

  private SubmissionEntry begin(SubmissionEntry entry, long workRequest, int qn) {
    return queues.begin(entry, Opcode.RECEIVE_UNTAGGED, 0, workRequest).queue(qn);
  }

  private boolean received(int qn, SubmissionEntry entry) {
    receivesOutstanding[qn]++;
    queues.submitReceive(entry);
    return true;
  }

  /**
   * Posts a notice, which completes ({@link Opcode#TAGGED_NOTICE}) when the peer's next Tagged
   * Message is Delivered. It says where the message was placed; all earlier messages have been
   * Delivered by then. Unless {@link ConnectionOptions#taggedNotices()} is 0, a Tagged Message
   * without a notice is treated like an Untagged Message without a receive.
   *
   * @return false when as many are outstanding as the connection's options say, or the session is
   *     full: poll first
   */
  @CheckReturnValue
  public boolean postTaggedNotice(long workRequest) {
    queues.checkOpen();
    if (taggedNotices == 0) {
      throw new IllegalStateException("the connection's options allow no notices");
    }
    SubmissionEntry entry =
        noticesOutstanding < taggedNotices ? queues.session().rings().claim(1) : null;
    if (entry == null) {
      return false;
    }
    noticesOutstanding++;
    queues.submitReceive(queues.begin(entry, Opcode.TAGGED_NOTICE, 0, workRequest));
    return true;
  }

  /**
   * Sends a message to the next receive of one of the peer's queues.
   *
   * @param qn Queue Number
   * @param workRequest the program's own number, given back in the completion
   * @param offset of the message in the region
   * @param length of the message, 0 to 2^32 - 1
   * @param rsvdUlp octets for the peer's program in the header, 40 bits, the highest eight first
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postUntagged(
      int qn,
      long workRequest,
      MemoryRegion region,
      long offset,
      long length,
      long rsvdUlp,
      int flags) {
    queues.checkOpen();
    queues.checkMemory(region, offset, length);
    checkQueue(qn);
    SubmissionEntry entry = begin(Opcode.SEND_UNTAGGED, workRequest, flags, rsvdUlp, 1);
    return entry != null && queues.post(entry.memory(region.stag(), offset, length).queue(qn));
  }

  /**
   * Sends a message that lies in pieces to the next receive of one of the peer's queues.
   *
   * @param list one piece at least
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postUntagged(int qn, long workRequest, ScatterList list, long rsvdUlp, int flags) {
    queues.checkOpen();
    queues.checkMemory(list);
    checkQueue(qn);
    SubmissionEntry entry =
        begin(Opcode.SEND_UNTAGGED, workRequest, flags, rsvdUlp, list.pieces().slots());
    return entry != null && queues.post(entry.memory(list.pieces()).queue(qn));
  }

  /**
   * Sends a short message from any memory, which may be used again when this returns.
   *
   * @param length at most {@link SessionLimits#inlineOctets()}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postInlineUntagged(
      int qn,
      long workRequest,
      MemorySegment message,
      long offset,
      int length,
      long rsvdUlp,
      int flags) {
    queues.checkOpen();
    checkQueue(qn);
    queues.checkInline(length);
    int slots = WorkRequest.slotsForInline(length);
    SubmissionEntry entry = begin(Opcode.SEND_UNTAGGED, workRequest, flags, rsvdUlp, slots);
    return entry != null && queues.post(entry.inline(message, offset, length).queue(qn));
  }

  /**
   * Sends a message into the peer's memory.
   *
   * @param workRequest the program's own number, given back in the completion
   * @param offset in the region
   * @param length 0 to 2^32 - 1
   * @param remoteStag the peer's region
   * @param remoteTo Tagged Offset there
   * @param rsvdUlp octet for the peer's program in the header, 8 bits
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postTagged(
      long workRequest,
      MemoryRegion region,
      long offset,
      long length,
      int remoteStag,
      long remoteTo,
      int rsvdUlp,
      int flags) {
    queues.checkOpen();
    queues.checkMemory(region, offset, length);
    SubmissionEntry entry = begin(Opcode.SEND_TAGGED, workRequest, flags, rsvdUlp, 1);
    return entry != null
        && queues.post(entry.memory(region.stag(), offset, length).remote(remoteStag, remoteTo));
  }

  /**
   * Sends a message that lies in pieces into one range of the peer's memory.
   *
   * @param list one piece at least
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postTagged(
      long workRequest, ScatterList list, int remoteStag, long remoteTo, int rsvdUlp, int flags) {
    queues.checkOpen();
    queues.checkMemory(list);
    SubmissionEntry entry =
        begin(Opcode.SEND_TAGGED, workRequest, flags, rsvdUlp, list.pieces().slots());
    return entry != null && queues.post(entry.memory(list.pieces()).remote(remoteStag, remoteTo));
  }

  /**
   * Sends a few octets from any memory, which may be reused when this returns, into the peer's
   * memory.
   *
   * @param length at most {@link SessionLimits#inlineOctets()}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postInlineTagged(
      long workRequest,
      MemorySegment message,
      long offset,
      int length,
      int remoteStag,
      long remoteTo,
      int rsvdUlp,
      int flags) {
    queues.checkOpen();
    queues.checkInline(length);
    int slots = WorkRequest.slotsForInline(length);
    SubmissionEntry entry = begin(Opcode.SEND_TAGGED, workRequest, flags, rsvdUlp, slots);
    return entry != null
        && queues.post(entry.inline(message, offset, length).remote(remoteStag, remoteTo));
  }

  /** Begins a request of the send queue; null when the queue or the session is full. */
  private SubmissionEntry begin(int opcode, long id, int flags, long rsvdUlp, int slots) {
    check(opcode, rsvdUlp, flags);
    SubmissionEntry entry = queues.claim(slots);
    return entry == null ? null : queues.begin(entry, opcode, flags, id).immediate(rsvdUlp);
  }

  private static void check(int opcode, long rsvdUlp, int flags) {
    long most = opcode == Opcode.SEND_TAGGED ? MOST_TAGGED_ULP : MOST_UNTAGGED_ULP;
    if (rsvdUlp < 0 || rsvdUlp > most) {
      throw new IllegalArgumentException(
          "RsvdULP 0x%x; a message of this kind carries 0 to 0x%x".formatted(rsvdUlp, most));
    }
    WorkQueues.checkFlags(flags, SendFlags.SIGNALLED);
  }

  private void checkQueue(int qn) {
    if (qn < 0 || qn >= depths.length) {
      throw new IllegalArgumentException(
          "there is no queue "
              + qn
              + "; the connection's options have 0 to "
              + (depths.length - 1));
    }
  }

  /** Receives of a queue that are posted and not reported yet. */
  public int receivesOutstanding(int qn) {
    checkQueue(qn);
    return receivesOutstanding[qn];
  }

  /** Notices of Tagged Messages that are posted and not reported yet. */
  public int noticesOutstanding() {
    return noticesOutstanding;
  }

  /** Whether all receives and notices have been reported. */
  boolean isIdle() {
    return noticesOutstanding == 0 && Arrays.stream(receivesOutstanding).allMatch(n -> n == 0);
  }

  /** Counts a completed receive or notice; false if the completion is of the send queue. */
  boolean retire(PolledCompletion completion) {
    int opcode = completion.opcode();
    if (opcode == Opcode.RECEIVE_UNTAGGED) {
      receivesOutstanding[completion.qn()] -= completion.retired();
      return true;
    }
    if (opcode == Opcode.TAGGED_NOTICE) {
      noticesOutstanding -= completion.retired();
      return true;
    }
    return false;
  }
}
