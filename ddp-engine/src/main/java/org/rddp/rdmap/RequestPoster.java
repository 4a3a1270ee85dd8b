package org.rddp.rdmap;

import java.nio.ByteBuffer;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.DdpScatterList;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;

/**
 * Puts requests that go to the peer into the {@link RdmapSendQueue} and hands DDP their messages. A
 * post returns false, and nothing happens, if the queue is full.
 */
final class RequestPoster {
  private final RdmapHandler handler;
  private final TaggedBuffers taggedBuffers;
  private final RdmapSendQueue sendQueue;
  private final OutstandingRequests requests;
  private final RdmapReceiver user;
  private final DdpStream ddp;
  private final ByteBuffer readRequest = ByteBuffer.allocate(ReadRequest.LENGTH);
  private final byte[] atomicRequest = new byte[AtomicRequest.LENGTH];
  private final byte[] immediate = new byte[ImmediateData.LENGTH];
  private int nextIdentifier;

  RequestPoster(
      RdmapHandler handler,
      TaggedBuffers taggedBuffers,
      RdmapSendQueue sendQueue,
      OutstandingRequests requests,
      RdmapReceiver user,
      DdpStream ddp) {
    this.handler = handler;
    this.taggedBuffers = taggedBuffers;
    this.sendQueue = sendQueue;
    this.requests = requests;
    this.user = user;
    this.ddp = ddp;
  }

  boolean send(long id, int flags, int invalidate, long address, long length) {
    if (endsAtOnce(id, CompletionKind.SEND, length)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.SEND, length, flags);
    int opcode = sendOpcode(flags, invalidate);
    return ddp.postUntagged(number, opcode, invalidate, RdmapHeader.SEND_QUEUE, address, length);
  }

  boolean send(long id, int flags, int invalidate, DdpScatterList list) {
    if (endsAtOnce(id, CompletionKind.SEND, list.length())) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.SEND, list.length(), flags);
    int opcode = sendOpcode(flags, invalidate);
    return ddp.postUntagged(number, opcode, invalidate, RdmapHeader.SEND_QUEUE, list);
  }

  private static int sendOpcode(int flags, int invalidate) {
    int plain = RequestFlags.solicited(flags) ? RdmapHeader.SEND_SOLICITED : RdmapHeader.SEND;
    return invalidate == 0 ? plain : plain + 1;
  }

  boolean write(long id, int flags, DdpScatterList list, int stag, long to) {
    if (endsAtOnce(id, CompletionKind.WRITE, list.length())) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.WRITE, list.length(), flags);
    return ddp.postTagged(number, RdmapHeader.WRITE, stag, to, list);
  }

  boolean write(long id, int flags, long address, long length, int stag, long to) {
    if (endsAtOnce(id, CompletionKind.WRITE, length)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.WRITE, length, flags);
    return ddp.postTagged(number, RdmapHeader.WRITE, stag, to, address, length);
  }

  boolean writeImmediate(
      long id, int flags, long address, long length, int stag, long to, long data) {
    if (endsAtOnce(id, CompletionKind.WRITE, length)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.WRITE, length, flags);
    int next = ImmediateData.opcode(flags);
    return ddp.postTaggedThen(
        number, RdmapHeader.WRITE, stag, to, address, length, next, RdmapHeader.SEND_QUEUE, data);
  }

  boolean writeImmediate(long id, int flags, DdpScatterList list, int stag, long to, long data) {
    if (endsAtOnce(id, CompletionKind.WRITE, list.length())) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.WRITE, list.length(), flags);
    int next = ImmediateData.opcode(flags);
    return ddp.postTaggedThen(
        number, RdmapHeader.WRITE, stag, to, list, next, RdmapHeader.SEND_QUEUE, data);
  }

  boolean immediate(long id, int flags, long data) {
    if (endsAtOnce(id, CompletionKind.SEND, ImmediateData.LENGTH)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.SEND, ImmediateData.LENGTH, flags);
    ImmediateData.write(immediate, data);
    int opcode = ImmediateData.opcode(flags);
    return ddp.postInline(
        number, opcode, 0, RdmapHeader.SEND_QUEUE, immediate, ImmediateData.LENGTH);
  }

  boolean read(long id, int flags, int localStag, long localTo, long length, int stag, long to) {
    if (endsAtOnce(id, CompletionKind.READ, length) || noAnswer(id, CompletionKind.READ)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.READ, length, flags);
    if (length > 0 && !mayReadInto(localStag, localTo, length)) {
      sendQueue.end(number, RdmapCompletionStatus.LOCAL_PROTECTION_ERROR);
      return true;
    }
    requests.add().beginRead(number, localStag, localTo, length);
    ReadRequest.write(readRequest, localStag, localTo, length, stag, to);
    return ddp.postInline(
        number,
        RdmapHeader.READ_REQUEST,
        0,
        RdmapHeader.READ_QUEUE,
        readRequest.array(),
        ReadRequest.LENGTH);
  }

  private boolean mayReadInto(int stag, long to, long length) {
    TaggedBuffer sink = taggedBuffers.lookup(stag);
    return sink != null
        && sink.associatedWith(ddp)
        && sink.permits(AccessRights.LOCAL_WRITE)
        && !TaggedBuffer.wraps(to, length)
        && sink.contains(to, length);
  }

  boolean atomic(
      long id,
      int flags,
      int opcode,
      long address,
      int stag,
      long to,
      long data,
      long mask,
      long compare,
      long compareMask) {
    if (endsAtOnce(id, CompletionKind.ATOMIC, AtomicRequest.OPERAND)
        || noAnswer(id, CompletionKind.ATOMIC)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.ATOMIC, AtomicRequest.OPERAND, flags);
    int identifier = nextIdentifier++;
    requests.add().beginAtomic(number, identifier, address);
    AtomicRequest.write(atomicRequest, opcode, identifier, stag, to);
    AtomicRequest.writeOperands(atomicRequest, data, mask, compare, compareMask);
    return ddp.postInline(
        number,
        RdmapHeader.ATOMIC_REQUEST,
        0,
        RdmapHeader.READ_QUEUE,
        atomicRequest,
        AtomicRequest.LENGTH);
  }

  /** Ends a request at once that cannot be posted. */
  boolean endsAtOnce(long id, int kind, long length) {
    if (length < 0 || length > DdpStream.MAX_MESSAGE) {
      handler.onCompletion(id, kind, RdmapCompletionStatus.LENGTH_ERROR, 0);
      return true;
    }
    if (!ddp.acceptsMessages() || user.failed()) {
      handler.onCompletion(id, kind, RdmapCompletionStatus.FLUSHED, 0);
      return true;
    }
    return false;
  }

  /** Ends a request at once that could have no answer. */
  private boolean noAnswer(long id, int kind) {
    if (user.peerClosed()) {
      handler.onCompletion(id, kind, RdmapCompletionStatus.FLUSHED, 0);
      return true;
    }
    if (requests.closed()) {
      handler.onCompletion(id, kind, RdmapCompletionStatus.NO_READS, 0);
      return true;
    }
    return false;
  }
}
