package org.rddp.client;

import org.rddp.client.types.Access;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.ring.SubmissionEntry;

/**
 * The atomic operations of a connection (RFC 7306): each works on a number of eight octets in the
 * peer's memory, atomically also towards programs there, and returns the old value. They count as
 * reads, whose number at a time the two sides agree on.
 *
 * <p>The peer's region needs {@link Access#REMOTE_ATOMIC}, and the number's address must be a
 * multiple of eight; otherwise the atomic completes with REMOTE_OPERATION_ERROR and the connection
 * ends. The old value goes to eight octets of this program's memory, in the machine's byte order.
 * The rules for posts are those of {@link Connection}; flags are {@link SendFlags#SIGNALLED} and
 * {@link SendFlags#FENCED}.
 */
public final class Atomics {
  private final WorkQueues queues;

  Atomics(WorkQueues queues) {
    this.queues = queues;
  }

  /**
   * Adds.
   *
   * @param region for the value before, with {@link Access#LOCAL_WRITE}
   * @param offset in the region
   * @param remoteTo Tagged Offset of the number
   * @return false when the send queue or the session is full: poll first
   */
  @CheckReturnValue
  public boolean postFetchAdd(
      long workRequest,
      MemoryRegion region,
      long offset,
      int remoteStag,
      long remoteTo,
      long add,
      int flags) {
    return postFetchAdd(workRequest, region, offset, remoteStag, remoteTo, add, 0, flags);
  }

  /**
   * Adds to each of several bit fields.
   *
   * @param ends the highest bit of each field; no carry leaves it
   */
  @CheckReturnValue
  public boolean postFetchAdd(
      long workRequest,
      MemoryRegion region,
      long offset,
      int remoteStag,
      long remoteTo,
      long add,
      long ends,
      int flags) {
    SubmissionEntry entry =
        queues.beginAtomic(Opcode.FETCH_ADD, workRequest, flags, region, offset);
    return entry != null
        && queues.post(entry.remote(remoteStag, remoteTo).operands(add, ends, 0, 0));
  }

  /**
   * Replaces bits.
   *
   * @param mask the bits to replace, -1 for all
   */
  @CheckReturnValue
  public boolean postSwap(
      long workRequest,
      MemoryRegion region,
      long offset,
      int remoteStag,
      long remoteTo,
      long swap,
      long mask,
      int flags) {
    SubmissionEntry entry = queues.beginAtomic(Opcode.SWAP, workRequest, flags, region, offset);
    return entry != null
        && queues.post(entry.remote(remoteStag, remoteTo).operands(swap, mask, 0, 0));
  }

  /** Replaces the whole number if it has the expected value. */
  @CheckReturnValue
  public boolean postCompareSwap(
      long workRequest,
      MemoryRegion region,
      long offset,
      int remoteStag,
      long remoteTo,
      long compare,
      long swap,
      int flags) {
    return postCompareSwap(
        workRequest, region, offset, remoteStag, remoteTo, compare, -1, swap, -1, flags);
  }

  /**
   * Replaces bits if others are as expected.
   *
   * @param compareMask the bits to compare
   * @param mask the bits to replace
   */
  @CheckReturnValue
  public boolean postCompareSwap(
      long workRequest,
      MemoryRegion region,
      long offset,
      int remoteStag,
      long remoteTo,
      long compare,
      long compareMask,
      long swap,
      long mask,
      int flags) {
    SubmissionEntry entry =
        queues.beginAtomic(Opcode.COMPARE_SWAP, workRequest, flags, region, offset);
    return entry != null
        && queues.post(
            entry.remote(remoteStag, remoteTo).operands(swap, mask, compare, compareMask));
  }
}
