package org.rddp.rdmap;

import java.nio.ByteBuffer;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.sending.DdpSender;

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
  private final DdpSender sender;
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
    sender = ddp.sender();
  }

  /** Touches the cache line that a message needs: {@link RdmapStream#prefetch}. */
  int prefetch() {
    return nextIdentifier;
  }

  boolean receive(StreamRequest request) {
    int refusal = ddp.acceptsBuffers() ? lengthError(request) : RdmapCompletionStatus.FLUSHED;
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      handler.onCompletion(request.token(), CompletionKind.RECEIVE, refusal, 0);
      return true;
    }
    return ddp.postReceive(RdmapHeader.SEND_QUEUE, request);
  }

  boolean send(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = messageRefusal(request);
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.SEND, refusal);
    }
    long sequence = sendQueue.add(request, CompletionKind.SEND, request.length());
    int invalidate = request.remoteStag();
    int opcode = sendOpcode(request.flags(), invalidate);
    return sender.postUntagged(sequence, opcode, invalidate, RdmapHeader.SEND_QUEUE, request);
  }

  private static int sendOpcode(int flags, int invalidate) {
    int plain = RdmapFlags.solicited(flags) ? RdmapHeader.SEND_SOLICITED : RdmapHeader.SEND;
    return invalidate == 0 ? plain : plain + 1;
  }

  boolean write(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = messageRefusal(request);
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.WRITE, refusal);
    }
    long sequence = sendQueue.add(request, CompletionKind.WRITE, request.length());
    return sender.postTagged(sequence, RdmapHeader.WRITE, request);
  }

  boolean writeImmediate(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = messageRefusal(request);
    refusal = refusal == RdmapCompletionStatus.SUCCESS ? extensionRefusal() : refusal;
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.WRITE, refusal);
    }
    long sequence = sendQueue.add(request, CompletionKind.WRITE, request.length());
    int next = ImmediateData.opcode(request.flags());
    return sender.postTaggedThen(
        sequence, RdmapHeader.WRITE, request, next, RdmapHeader.SEND_QUEUE);
  }

  boolean immediate(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = extensionRefusal();
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.SEND, refusal);
    }
    long sequence = sendQueue.add(request, CompletionKind.SEND, ImmediateData.LENGTH);
    ImmediateData.write(immediate, request.immediate());
    int opcode = ImmediateData.opcode(request.flags());
    return sender.postInline(
        sequence, opcode, 0, RdmapHeader.SEND_QUEUE, immediate, ImmediateData.LENGTH);
  }

  boolean read(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = readRefusal(request);
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.READ, refusal);
    }
    long sequence = sendQueue.add(request, CompletionKind.READ, request.length());
    requests.add().beginRead(sequence, request);
    ReadRequest.write(readRequest, request);
    return sender.postInline(
        sequence,
        RdmapHeader.READ_REQUEST,
        0,
        RdmapHeader.READ_QUEUE,
        readRequest.array(),
        ReadRequest.LENGTH);
  }

  private int readRefusal(StreamRequest request) {
    int refusal = messageRefusal(request);
    refusal = refusal == RdmapCompletionStatus.SUCCESS ? answerRefusal() : refusal;
    return refusal == RdmapCompletionStatus.SUCCESS && request.length() > 0 && !mayReadInto(request)
        ? RdmapCompletionStatus.LOCAL_PROTECTION_ERROR
        : refusal;
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
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = extensionRefusal();
    refusal = refusal == RdmapCompletionStatus.SUCCESS ? answerRefusal() : refusal;
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.ATOMIC, refusal);
    }
    long sequence = sendQueue.add(request, CompletionKind.ATOMIC, AtomicRequest.OPERAND);
    int identifier = nextIdentifier++;
    requests.add().beginAtomic(sequence, identifier, request.message().address());
    AtomicRequest.write(atomicRequest, opcode, identifier, request);
    return sender.postInline(
        sequence,
        RdmapHeader.ATOMIC_REQUEST,
        0,
        RdmapHeader.READ_QUEUE,
        atomicRequest,
        AtomicRequest.LENGTH);
  }

  /** Whether the stream sends nothing more, so that every request is flushed. */
  boolean sendsNothing() {
    return !sender.acceptsMessages() || user.failed();
  }

  /** Why a message cannot be sent, or {@link RdmapCompletionStatus#SUCCESS}. */
  private int messageRefusal(StreamRequest request) {
    return sendsNothing() ? RdmapCompletionStatus.FLUSHED : lengthError(request);
  }

  /** Why a message of RFC 7306 cannot be sent, or {@link RdmapCompletionStatus#SUCCESS}. */
  private int extensionRefusal() {
    if (sendsNothing()) {
      return RdmapCompletionStatus.FLUSHED;
    }
    return user.postsExtension()
        ? RdmapCompletionStatus.SUCCESS
        : RdmapCompletionStatus.LOCAL_OPERATION_ERROR;
  }

  private static int lengthError(StreamRequest request) {
    return request.length() < 0 || request.length() > DdpStream.MAX_MESSAGE
        ? RdmapCompletionStatus.LOCAL_LENGTH_ERROR
        : RdmapCompletionStatus.SUCCESS;
  }

  /** Why the peer cannot answer, or {@link RdmapCompletionStatus#SUCCESS}. */
  private int answerRefusal() {
    if (user.peerClosed()) {
      return RdmapCompletionStatus.FLUSHED;
    }
    return requests.closed()
        ? RdmapCompletionStatus.LOCAL_OPERATION_ERROR
        : RdmapCompletionStatus.SUCCESS;
  }

  /**
   * Ends a request that is not sent, in its turn: requests posted before it complete first. The
   * queue has room; always true.
   */
  boolean refuse(StreamRequest request, int kind, int status) {
    sendQueue.end(sendQueue.add(request, kind, 0), status);
    return true;
  }
}
