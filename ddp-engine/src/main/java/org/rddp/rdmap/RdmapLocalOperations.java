package org.rddp.rdmap;

import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpMemoryWindow;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.sending.WorkQueue;
import org.rddp.snapshot.Snapshot;

/**
 * Requests of a stream that send nothing and change the peer's access to local memory: binding a
 * window, and invalidating a local STag (the local operations of verbs).
 *
 * <p>They are carried out in the order of the send queue: after requests posted before have been
 * handed to TCP, and before requests posted later are sent. So a message that names a window may be
 * posted directly after the bind. A read or an atomic before it may still wait for its response,
 * unless the operation is {@link RdmapFlags#FENCED}: a read whose sink is invalidated meanwhile
 * ends the stream.
 *
 * <p>Posts return false, with no effect, if the queue is full. Engine thread only.
 */
public final class RdmapLocalOperations {
  private final TaggedBuffers taggedBuffers;
  private final WorkQueue sendQueue;
  private final RdmapStream stream;
  private final DdpStream ddp;
  private final int depth;
  private final QueueMemory memory;

  /** Null until the first is posted: most streams have none. */
  private EntryRing<LocalOperation> waiting;

  RdmapLocalOperations(
      TaggedBuffers taggedBuffers,
      WorkQueue sendQueue,
      RdmapStream stream,
      DdpStream ddp,
      int depth,
      QueueMemory memory) {
    this.taggedBuffers = taggedBuffers;
    this.sendQueue = sendQueue;
    this.stream = stream;
    this.ddp = ddp;
    this.depth = depth;
    this.memory = memory;
  }

  /**
   * Invalidates the STag of a local region or window: after completion nothing is placed or read
   * through it. Completes with {@link RdmapCompletionStatus#LOCAL_PROTECTION_ERROR} if the STag is
   * not associated with this stream.
   *
   * @param request names the local STag; its flags are {@link RdmapFlags}
   */
  public boolean postInvalidate(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    if (stream.sendsNothing()) {
      return stream.refuse(request, CompletionKind.INVALIDATE, RdmapCompletionStatus.FLUSHED);
    }
    long sequence = stream.add(request, CompletionKind.INVALIDATE, 0);
    waiting().add().invalidate(request.localStag());
    return ddp.sender().postLocalOperation(sequence, RdmapHeader.NO_MESSAGE);
  }

  /**
   * Grants this stream's peer access to a part of a region under the window's next STag. Completes
   * with {@link RdmapCompletionStatus#MW_BIND_ERROR} if {@link DdpMemoryWindow#bind} refuses.
   *
   * @param request names the window, the region, the range of the region by Tagged Offset and
   *     length, and how the peer names the window
   */
  public boolean postBind(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    if (stream.sendsNothing()) {
      return stream.refuse(request, CompletionKind.BIND, RdmapCompletionStatus.FLUSHED);
    }
    long sequence = stream.add(request, CompletionKind.BIND, 0);
    waiting().add().bind(request);
    return ddp.sender().postLocalOperation(sequence, RdmapHeader.NO_MESSAGE);
  }

  private EntryRing<LocalOperation> waiting() {
    if (waiting == null) {
      waiting = new EntryRing<>(depth, LocalOperation::new, LocalOperation.OCTETS, memory);
    }
    return waiting;
  }

  /** Runs the first queued operation. */
  void run(long sequence) {
    int status = waiting.removeFirst().run(taggedBuffers, ddp);
    sendQueue.end(sequence, status);
  }

  /** Drops the first queued operation. */
  void flush(long sequence) {
    waiting.removeFirst().forget();
    sendQueue.end(sequence, RdmapCompletionStatus.FLUSHED);
  }

  /** Transfers the operations that wait. */
  void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(RdmapLocalOperations.class);
    if (snapshot.flag("isUsed", waiting != null)) {
      waiting().transfer(snapshot, "waiting", each -> each.transfer(snapshot, references));
    }
    snapshot.end();
  }
}
