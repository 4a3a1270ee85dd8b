package org.rddp.rdmap;

import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;

/**
 * Requests of a stream that send nothing and change the peer's access to local memory: binding a
 * window, and invalidating a local STag (the local operations of verbs).
 *
 * <p>They run in order with the sends, writes, reads and atomics: after all requests posted before
 * have been passed to TCP, and before any request posted after. So a message with a window's STag
 * may be posted directly after the bind. Reads and atomics posted before may still be waiting for
 * their response, unless the request is {@link RequestFlags#FENCED}; invalidating the sink of such
 * a read fails the stream.
 *
 * <p>Posts return false, with no effect, if the queue is full. Engine thread only.
 */
public final class RdmapLocalOperations {
  private final TaggedBuffers taggedBuffers;
  private final RdmapSendQueue sendQueue;
  private final RequestPoster posts;
  private final DdpStream ddp;
  private final int depth;

  /** Null until the first is posted, since most streams have none. */
  private EntryRing<LocalOperation> waiting;

  RdmapLocalOperations(
      TaggedBuffers taggedBuffers,
      RdmapSendQueue sendQueue,
      RequestPoster posts,
      DdpStream ddp,
      int depth) {
    this.taggedBuffers = taggedBuffers;
    this.sendQueue = sendQueue;
    this.posts = posts;
    this.ddp = ddp;
    this.depth = depth;
  }

  /**
   * Invalidates the STag of a local region or window: after completion nothing is placed or read
   * through it. Completes with {@link RdmapCompletionStatus#LOCAL_PROTECTION_ERROR} if the STag is
   * not associated with this stream.
   *
   * @param flags of {@link RequestFlags}
   */
  public boolean postInvalidate(long id, int flags, int stag) {
    if (posts.endsAtOnce(id, CompletionKind.INVALIDATE, 0)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.INVALIDATE, 0, flags);
    add().invalidate(stag);
    return ddp.postLocalOperation(number, RdmapHeader.NO_MESSAGE);
  }

  /**
   * Grants this stream's peer access to a part of a region under the window's next STag. Completes
   * with {@link RdmapCompletionStatus#BIND_ERROR} if {@link DdpMemoryWindow#bind} refuses.
   *
   * @param flags of {@link RequestFlags}
   * @param to Tagged Offset of the first octet in the region
   * @param length in octets, greater than 0
   * @param baseTo Tagged Offset of the first octet in the window
   * @param rights of {@link org.rddp.ddp.memory.AccessRights}
   */
  public boolean postBind(
      long id,
      int flags,
      DdpMemoryWindow window,
      TaggedBuffer region,
      long to,
      long length,
      long baseTo,
      int rights) {
    if (posts.endsAtOnce(id, CompletionKind.BIND, 0)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.BIND, 0, flags);
    add().bind(window, region, to, length, baseTo, rights);
    return ddp.postLocalOperation(number, RdmapHeader.NO_MESSAGE);
  }

  private LocalOperation add() {
    if (waiting == null) {
      waiting = new EntryRing<>(depth, LocalOperation::new);
    }
    return waiting.add();
  }

  /** Runs the first queued operation. */
  void run(long number) {
    int status = waiting.removeFirst().run(taggedBuffers, ddp);
    sendQueue.end(number, status);
  }

  /** Drops the first queued operation. */
  void flush(long number) {
    waiting.removeFirst().forget();
    sendQueue.end(number, RdmapCompletionStatus.FLUSHED);
  }
}
