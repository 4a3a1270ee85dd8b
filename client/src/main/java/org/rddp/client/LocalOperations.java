package org.rddp.client;

import org.rddp.client.types.Access;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.client.types.WindowKind;
import org.rddp.ipc.ring.SubmissionEntry;

/**
 * Requests that send nothing but change what the peer may do with this program's memory ({@code
 * IBV_WR_BIND_MW} and {@code IBV_WR_LOCAL_INV} in verbs).
 *
 * <p>They are carried out in the order of the send queue: after requests posted before are sent,
 * and before requests posted behind are. Earlier reads and atomics may still wait for their
 * answers, unless the local operation is {@link SendFlags#FENCED}; invalidating the STag of memory
 * that a read is placed into ends the connection. The rules for posts are those of {@link
 * Connection}; flags are {@link SendFlags#SIGNALLED} and {@link SendFlags#FENCED}.
 */
public final class LocalOperations {
  private final WorkQueues queues;

  LocalOperations(WorkQueues queues) {
    this.queues = queues;
  }

  /** The largest key of a bind. */
  public static final int LARGEST_KEY = 0xff;

  /**
   * Opens a part of a region to the connection's peer under an STag that {@link
   * MemoryWindow#stag()} returns at once. A bind always has a completion, with {@link
   * org.rddp.client.types.CompletionStatus#MW_BIND_ERROR} if the window is bound already or the
   * region does not allow it. Neither blocks nor allocates.
   *
   * @param region with {@link Access#MW_BIND}, and {@link Access#LOCAL_WRITE} if the peer may write
   *     or do atomics
   * @param offset in the region of what has Tagged Offset 0 in the window
   * @param length greater than 0; may be more than a message has
   * @param rights {@link Access#bits} of what the peer may do
   * @return false when the send queue or the session is full, or the window's last bind has not
   *     been reported: poll first
   */
  @CheckReturnValue
  public boolean postBind(
      long workRequest,
      MemoryWindow window,
      MemoryRegion region,
      long offset,
      long length,
      int rights,
      int flags) {
    window.check(queues.session(), false, region, offset, length, rights);
    SubmissionEntry entry = begin(workRequest, window, region, offset, length, rights, flags);
    return entry != null && queues.post(entry) && window.bindPosted();
  }

  /**
   * Opens a part of a region as {@link #postBind} does, through a window whose STags the program
   * chooses ({@link WindowKind#TYPE_2}, {@link WindowKind#TYPE_1}): the key is the last octet of
   * the STag; the other octets never change. A window for all peers may be bound again while it is
   * bound, which closes the part that it had opened; a bind of no octets, without rights, only does
   * that.
   *
   * @param key 0 to {@link #LARGEST_KEY}; another one each time, so that a peer cannot use the STag
   *     of an earlier bind
   * @param region with {@link Access#MW_BIND}, and {@link Access#LOCAL_WRITE} if peers may write or
   *     do atomics
   * @param offset in the region of what has Tagged Offset {@code baseTo} in the window
   * @param length greater than 0, or 0 for a window for all peers; may be more than a message has
   * @param baseTo unsigned; with the length added at most 2^64 - 1
   * @param rights {@link Access#bits} of what peers may do
   * @return false when the send queue or the session is full, or the window's last bind has not
   *     been reported: poll first
   */
  @CheckReturnValue
  public boolean postKeyedBind(
      long workRequest,
      MemoryWindow window,
      int key,
      MemoryRegion region,
      long offset,
      long length,
      long baseTo,
      int rights,
      int flags) {
    if (key < 0 || key > LARGEST_KEY) {
      throw new IllegalArgumentException("key " + key + ": it is 0 to " + LARGEST_KEY);
    }
    if (Long.compareUnsigned(baseTo, -1 - length) > 0) {
      throw new IllegalArgumentException(
          "a window of %d octets from Tagged Offset %s on ends beyond 2^64"
              .formatted(length, Long.toUnsignedString(baseTo)));
    }
    window.check(queues.session(), true, region, offset, length, rights);
    SubmissionEntry entry = begin(workRequest, window, region, offset, length, rights, flags);
    return entry != null
        && queues.post(entry.queue(key).immediate(baseTo))
        && window.keyedBindPosted(key, baseTo);
  }

  /** Begins a bind; null if it cannot be posted now. */
  private SubmissionEntry begin(
      long workRequest,
      MemoryWindow window,
      MemoryRegion region,
      long offset,
      long length,
      int rights,
      int flags) {
    queues.checkRdmap();
    WorkQueues.checkFlags(flags, WorkQueues.FLAGS);
    SubmissionEntry entry = window.isReady() ? queues.begin(Opcode.BIND, workRequest, flags) : null;
    return entry == null
        ? null
        : entry.memory(region.stag(), offset, length).remote(window.id(), rights);
  }

  /**
   * Invalidates an STag of this program: of a window, or of a region. Once it has completed,
   * nothing is placed or read through the STag, whatever is still in flight. No new request can use
   * the region; it must still be closed. Receives that have been posted with it keep their memory
   * until they complete.
   *
   * @param stag of a window that is bound to this connection, or of a region; otherwise the
   *     completion has {@link org.rddp.client.types.CompletionStatus#LOCAL_PROTECTION_ERROR}
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postInvalidate(long workRequest, int stag, int flags) {
    SubmissionEntry entry = queues.begin(Opcode.INVALIDATE, workRequest, flags);
    return entry != null && queues.post(entry.remote(stag, 0));
  }
}
