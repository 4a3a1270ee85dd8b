package org.rddp.rdmap;

import java.nio.ByteBuffer;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;

/**
 * Posts the requests of a stream: adds them to the {@link RdmapSendQueue} and hands their messages
 * to DDP. A post returns false, and nothing happens, if the queue is full.
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

  boolean receive(StreamRequest request) {
    if (hasWrongLength(request, CompletionKind.RECEIVE)) {
      return true;
    }
    if (!ddp.acceptsBuffers()) {
      handler.onCompletion(request.id(), CompletionKind.RECEIVE, RdmapCompletionStatus.FLUSHED, 0);
      return true;
    }
    return ddp.postReceive(RdmapHeader.SEND_QUEUE, request);
  }

  boolean send(StreamRequest request) {
    if (hasWrongLength(request, CompletionKind.SEND) || endsAtOnce(request, CompletionKind.SEND)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(request, CompletionKind.SEND, request.length());
    int invalidate = request.remoteStag();
    int opcode = sendOpcode(request.flags(), invalidate);
    return ddp.postUntagged(number, opcode, invalidate, RdmapHeader.SEND_QUEUE, request);
  }

  private static int sendOpcode(int flags, int invalidate) {
    int plain = RequestFlags.solicited(flags) ? RdmapHeader.SEND_SOLICITED : RdmapHeader.SEND;
    return invalidate == 0 ? plain : plain + 1;
  }

  boolean write(StreamRequest request) {
    if (hasWrongLength(request, CompletionKind.WRITE)
        || endsAtOnce(request, CompletionKind.WRITE)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(request, CompletionKind.WRITE, request.length());
    return ddp.postTagged(number, RdmapHeader.WRITE, request);
  }

  boolean writeImmediate(StreamRequest request) {
    if (hasWrongLength(request, CompletionKind.WRITE)
        || endsAtOnce(request, CompletionKind.WRITE)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(request, CompletionKind.WRITE, request.length());
    int next = ImmediateData.opcode(request.flags());
    return ddp.postTaggedThen(number, RdmapHeader.WRITE, request, next, RdmapHeader.SEND_QUEUE);
  }

  boolean immediate(StreamRequest request) {
    if (endsAtOnce(request, CompletionKind.SEND)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(request, CompletionKind.SEND, ImmediateData.LENGTH);
    ImmediateData.write(immediate, request.immediate());
    int opcode = ImmediateData.opcode(request.flags());
    return ddp.postInline(
        number, opcode, 0, RdmapHeader.SEND_QUEUE, immediate, ImmediateData.LENGTH);
  }

  boolean read(StreamRequest request) {
    if (hasWrongLength(request, CompletionKind.READ)
        || endsAtOnce(request, CompletionKind.READ)
        || noAnswer(request, CompletionKind.READ)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(request, CompletionKind.READ, request.length());
    if (request.length() > 0 && !mayReadInto(request)) {
      sendQueue.end(number, RdmapCompletionStatus.LOCAL_PROTECTION_ERROR);
      return true;
    }
    requests.add().beginRead(number, request);
    ReadRequest.write(readRequest, request);
    return ddp.postInline(
        number,
        RdmapHeader.READ_REQUEST,
        0,
        RdmapHeader.READ_QUEUE,
        readRequest.array(),
        ReadRequest.LENGTH);
  }

  private boolean mayReadInto(StreamRequest request) {
    TaggedBuffer sink = taggedBuffers.lookup(request.localStag());
    return sink != null
        && sink.associatedWith(ddp)
        && sink.permits(AccessRights.LOCAL_WRITE)
        && !TaggedBuffer.wraps(request.localTo(), request.length())
        && sink.contains(request.localTo(), request.length());
  }

  /** Posts an atomic whose operands are as {@link AtomicRequest} has them. */
  boolean atomic(StreamRequest request, int opcode) {
    if (endsAtOnce(request, CompletionKind.ATOMIC) || noAnswer(request, CompletionKind.ATOMIC)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(request, CompletionKind.ATOMIC, AtomicRequest.OPERAND);
    int identifier = nextIdentifier++;
    requests.add().beginAtomic(number, identifier, request.message().address());
    AtomicRequest.write(atomicRequest, opcode, identifier, request);
    return ddp.postInline(
        number,
        RdmapHeader.ATOMIC_REQUEST,
        0,
        RdmapHeader.READ_QUEUE,
        atomicRequest,
        AtomicRequest.LENGTH);
  }

  /** Ends a request at once whose message is too long. */
  private boolean hasWrongLength(StreamRequest request, int kind) {
    if (request.length() >= 0 && request.length() <= DdpStream.MAX_MESSAGE) {
      return false;
    }
    handler.onCompletion(request.id(), kind, RdmapCompletionStatus.LENGTH_ERROR, 0);
    return true;
  }

  /** Flushes a request at once on a stream that sends nothing more. */
  boolean endsAtOnce(StreamRequest request, int kind) {
    if (!ddp.acceptsMessages() || user.failed()) {
      handler.onCompletion(request.id(), kind, RdmapCompletionStatus.FLUSHED, 0);
      return true;
    }
    return false;
  }

  /** Ends a read or an atomic at once that the peer cannot answer. */
  private boolean noAnswer(StreamRequest request, int kind) {
    if (user.peerClosed()) {
      handler.onCompletion(request.id(), kind, RdmapCompletionStatus.FLUSHED, 0);
      return true;
    }
    if (requests.closed()) {
      handler.onCompletion(request.id(), kind, RdmapCompletionStatus.NO_READS, 0);
      return true;
    }
    return false;
  }
}
