package org.rddp.rdmap;

import org.rddp.ddp.memory.DdpScatterList;

/**
 * What RFC 7306 adds to an RDMAP Stream: immediate data and atomic operations. The peer must know
 * them; one that does not ends the stream with {@link RdmapError#UNEXPECTED_OPCODE}.
 *
 * <p>Posts behave as those of {@link RdmapStream}: false, and nothing happens, if the queue is
 * full. Atomics work on a number of eight octets at the peer, in its machine's order and at an
 * address that is a multiple of eight, in a buffer with {@link
 * org.rddp.ddp.memory.AccessRights#REMOTE_ATOMIC}; they count as reads where ORD and fences are
 * concerned. The number that was there before goes to {@code result}, in this machine's order; the
 * eight octets there are the stream's until then.
 *
 * <p>Engine thread only.
 */
public final class RdmapExtensions {
  private final RequestPoster posts;

  RdmapExtensions(RequestPoster posts) {
    this.posts = posts;
  }

  /**
   * Sends a number to the peer's next posted receive, which must have room for eight octets.
   *
   * @param flags of {@link RequestFlags}
   */
  public boolean postImmediate(long id, int flags, long data) {
    return posts.immediate(id, flags, data);
  }

  /**
   * Writes into a buffer of the peer's and sends a number behind it. The peer's program has the
   * number when it can see what was written. The two end as one request.
   *
   * @param flags of {@link RequestFlags}
   */
  public boolean postWriteImmediate(
      long id, int flags, long address, long length, int remoteStag, long remoteTo, long data) {
    return posts.writeImmediate(id, flags, address, length, remoteStag, remoteTo, data);
  }

  /** Writes pieces of memory, one behind the other, and sends a number behind them. */
  public boolean postWriteImmediate(
      long id, int flags, DdpScatterList list, int remoteStag, long remoteTo, long data) {
    return posts.writeImmediate(id, flags, list, remoteStag, remoteTo, data);
  }

  /**
   * Adds.
   *
   * @param flags of {@link RequestFlags}
   * @param mask the highest bit of each field, which nothing is carried out of; 0 for one field of
   *     64 bits
   */
  public boolean postFetchAdd(
      long id, int flags, long result, int remoteStag, long remoteTo, long add, long mask) {
    int opcode = AtomicRequest.FETCH_ADD;
    return posts.atomic(id, flags, opcode, result, remoteStag, remoteTo, add, mask, 0, -1);
  }

  /**
   * Replaces bits. RFC 7306 has no such operation: it is asked for as a comparison of no bits,
   * which every peer knows that knows atomics.
   *
   * @param flags of {@link RequestFlags}
   * @param mask the bits to replace
   */
  public boolean postSwap(
      long id, int flags, long result, int remoteStag, long remoteTo, long swap, long mask) {
    int opcode = AtomicRequest.COMPARE_SWAP;
    return posts.atomic(id, flags, opcode, result, remoteStag, remoteTo, swap, mask, 0, 0);
  }

  /**
   * Replaces bits if others are as expected.
   *
   * @param flags of {@link RequestFlags}
   * @param mask the bits to replace
   * @param compareMask the bits to compare
   */
  public boolean postCompareSwap(
      long id,
      int flags,
      long result,
      int remoteStag,
      long remoteTo,
      long swap,
      long mask,
      long compare,
      long compareMask) {
    return posts.atomic(
        id,
        flags,
        AtomicRequest.COMPARE_SWAP,
        result,
        remoteStag,
        remoteTo,
        swap,
        mask,
        compare,
        compareMask);
  }
}
