package org.rddp.rdmap;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongPredicate;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpSettings;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.DdpSharedReceiveQueue;
import org.rddp.ddp.receiving.QueueSettings;
import org.rddp.ddp.sending.DdpSender;
import org.rddp.ddp.sending.WorkQueue;
import org.rddp.mpa.MpaConnection;
import org.rddp.snapshot.Snapshot;

/**
 * One RDMAP Stream (RFC 5040) with its work queues: receives; and sends, writes, reads and atomics.
 * It owns the DDP layer below.
 *
 * <p>A post puts a request into a bounded queue, and {@link RdmapHandler#onCompletion} reports its
 * end exactly once. {@link DdpEngine#send} sends the posted requests. A post to a stream that has
 * failed or been closed completes as flushed, after all posted before it; within the call if there
 * are none. Receives may be posted before the stream is established; a Responder should post them
 * before it accepts, since a peer's Send without a receive is an error.
 *
 * <p>Engine thread only.
 */
public final class RdmapStream {
  private final TaggedBuffers taggedBuffers;
  private final Termination termination;
  private final RdmapReceiver user;
  private final DdpStream ddp;
  private final DdpSender sender;
  private final RdmapLocalOperations localOperations;
  private final WorkQueue sendQueue;
  private final OutstandingRequests requests;
  private final ByteBuffer readRequest = ByteBuffer.allocate(ReadRequest.LENGTH);
  private final byte[] atomicRequest = new byte[AtomicRequest.LENGTH];
  private final byte[] immediate = new byte[ImmediateData.LENGTH];
  private int nextIdentifier;

  /**
   * Creates a stream that {@link org.rddp.mpa.MpaStartup} begins with {@link RdmapSettings#mpa()}.
   *
   * @param domain the domain whose STags the peer may use
   */
  public RdmapStream(
      DdpEngine engine, ProtectionDomain domain, RdmapSettings settings, RdmapHandler handler) {
    taggedBuffers = engine.taggedBuffers();
    sendQueue = new WorkQueue(settings.sendDepth(), settings.queueMemory(), handler);
    requests =
        new OutstandingRequests(settings.sendDepth(), settings.ord(), settings.queueMemory());
    Requester requester = new Requester(sendQueue, requests);
    termination = new Termination(handler, requester);
    user =
        new RdmapReceiver(
            handler, taggedBuffers, sendQueue, requester, termination, settings.acknowledged());
    ddp = new DdpStream(engine, domain, sizes(settings), user);
    sender = ddp.sender();
    user.attach(ddp);
    localOperations =
        new RdmapLocalOperations(
            taggedBuffers, sendQueue, this, ddp, settings.sendDepth(), settings.queueMemory());
    user.attach(localOperations);
  }

  private static DdpSettings sizes(RdmapSettings settings) {
    // Reads, and as many atomics; an RTR may be a Read even if IRD is 0.
    // RDMAP-5.2-12, RDMAPX-5.2-08: "a sufficient number of Untagged Buffers are available"
    int requests = 2 * Math.max(settings.ird(), 1);
    return new DdpSettings(
        settings.sendDepth(),
        requests,
        List.of(
            settings.sharedReceives() == null
                ? QueueSettings.buffered(settings.receiveDepth())
                : QueueSettings.shared(settings.sharedReceives()),
            QueueSettings.inPlace(requests, AtomicRequest.LENGTH), // RDMAP-5.2-12
            QueueSettings.inPlace(1, Terminate.MAX_LENGTH), // RDMAP-5.4-04
            // RDMAPX-5.2-09: "a sufficient number of Untagged Buffers are available"
            QueueSettings.inPlace(Math.max(settings.ord(), 1), AtomicRequest.ANSWER_LENGTH)),
        settings.heldOctets(),
        settings.heldShare(),
        settings.queueMemory(),
        settings.acknowledged());
  }

  /**
   * Touches the cache lines that a post to the send queue needs; the result only keeps the JIT from
   * removing the loads.
   */
  public int prefetch() {
    return sendQueue.prefetch() + nextIdentifier;
  }

  /** The DDP Stream below. */
  public DdpStream ddp() {
    return ddp;
  }

  /**
   * Makes the stream take receives from a shared queue. Call before the stream begins and before
   * any receive is posted.
   */
  public void shareReceives(DdpSharedReceiveQueue from) {
    ddp.queues().share(RdmapHeader.SEND_QUEUE, from);
  }

  /**
   * Withholds rights from the peer that STags may grant it, before the stream begins. A Write, Read
   * or atomic that needs one is refused as if its STag had not granted it.
   *
   * @param rights bits of {@link AccessRights}
   */
  public void withhold(int rights) {
    user.withhold(rights);
  }

  /**
   * Posts a buffer for one of the peer's Sends. One that has waited for it completes within this
   * call.
   *
   * @param request says where the message goes, 0 to 2^32-1 octets; the memory is the stream's
   *     until the request ends
   * @return false, and nothing happens, if the queue is full, or the stream's receives are shared
   */
  public boolean postReceive(StreamRequest request) {
    int refusal = ddp.acceptsBuffers() ? lengthError(request) : RdmapCompletionStatus.FLUSHED;
    return refusal == RdmapCompletionStatus.SUCCESS
        ? ddp.postReceive(RdmapHeader.SEND_QUEUE, request)
        : refuseReceive(request.token(), refusal);
  }

  /**
   * Ends a receive that is not posted, with a status; receives posted before it complete first.
   *
   * @return false, and nothing happens, if the stream's receives are shared
   */
  public boolean refuseReceive(long token, int status) {
    return ddp.refuseReceive(RdmapHeader.SEND_QUEUE, token, status);
  }

  /**
   * Sends a message to the peer's next posted receive.
   *
   * @param request says where the message lies, 0 to 2^32-1 octets; the memory is the stream's
   *     until the request ends. Its remote STag is the peer's STag to invalidate when it has the
   *     message, or 0; the stream fails if the peer does not allow that
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postSend(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = messageRefusal(request);
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.SEND, refusal);
    }
    long sequence = add(request, CompletionKind.SEND, request.length());
    int invalidate = request.remoteStag();
    int opcode = sendOpcode(request.flags(), invalidate);
    // RDMAP-4.1-06, RDMAP-4.3-01, RDMAP-5.5-08; RDMAP-5.3-05: "in the order they were submitted by
    // the ULP"
    return sender.postUntagged(sequence, opcode, invalidate, RdmapHeader.SEND_QUEUE, request);
  }

  private static int sendOpcode(int flags, int invalidate) {
    int plain = RdmapFlags.solicited(flags) ? RdmapHeader.SEND_SOLICITED : RdmapHeader.SEND;
    return invalidate == 0 ? plain : plain + 1; // RDMAP-5.3-08: "MUST reference an STag"
  }

  /**
   * Writes into a buffer of the peer. The peer's program is not told.
   *
   * @param request says where the octets lie, 0 to 2^32-1 of them, and where at the peer they go;
   *     the memory is the stream's until the request ends
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postWrite(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = messageRefusal(request);
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.WRITE, refusal);
    }
    long sequence = add(request, CompletionKind.WRITE, request.length());
    // RDMAP-5.1-03, RDMAP-5.5-08: "in the order they were submitted by the ULP"; RDMAP-5.1-04: "a
    // single RDMA Write Message can only write to one remote Tagged Buffer". RDMAP-5.1-05: of any
    // length. RDMAP-4.3-01: without a header of its own.
    return sender.postTagged(sequence, RdmapHeader.WRITE, request);
  }

  /**
   * Reads from a buffer of the peer into one of ours, without the peer's program. The response goes
   * to consecutive octets under one STag (RFC 5040 section 4.4), so a read cannot be scattered.
   *
   * @param request says where at the peer the octets come from, and the {@link StreamRequest#local
   *     range} that they go to, 0 to 2^32-1 octets of a buffer with {@link
   *     AccessRights#LOCAL_WRITE}; the range is the stream's until the request ends
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postRead(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = readRefusal(request);
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.READ, refusal);
    }
    long sequence = add(request, CompletionKind.READ, request.length());
    requests.add().beginRead(sequence, request);
    // RDMAP-4.4-01, RDMAP-5.2-06; RDMAP-5.2-11: "MUST only read from one remote Tagged Buffer"
    ReadRequest.write(readRequest, request);
    return sender.postInline( // RDMAP-5.2-09: "in the order they were submitted by the ULP"
        sequence,
        RdmapHeader.READ_REQUEST,
        0,
        RdmapHeader.READ_QUEUE,
        readRequest.array(),
        ReadRequest.LENGTH);
  }

  /**
   * Sends immediate data to the peer's next posted receive (RFC 7306 section 6), which at a peer
   * other than rddp must have room for eight octets. A peer that does not support it ends the
   * stream with {@link RdmapError#UNEXPECTED_OPCODE}, as with every message of RFC 7306.
   *
   * @param request its {@link StreamRequest#immediate} is what is sent
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postImmediate(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = extensionRefusal();
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.SEND, refusal);
    }
    long sequence = add(request, CompletionKind.SEND, ImmediateData.LENGTH);
    ImmediateData.write(immediate, request.immediate());
    int opcode = ImmediateData.opcode(request.flags());
    return sender.postInline( // RDMAPX-4-03, RDMAPX-6-01, RDMAPX-6-05
        sequence, opcode, 0, RdmapHeader.SEND_QUEUE, immediate, ImmediateData.LENGTH);
  }

  /**
   * Sends a message as {@link #postSend} does, with immediate data. Its ends must have {@linkplain
   * #allowSendWithImmediate agreed} on that: RDMAP has no such message, and to no other peer one is
   * sent.
   *
   * @param request its {@link StreamRequest#immediate} is sent, 32 bits of it; it invalidates
   *     nothing
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postSendWithImmediate(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = messageRefusal(request);
    if (refusal == RdmapCompletionStatus.SUCCESS && !user.postsSendWithImmediate()) {
      refusal = RdmapCompletionStatus.LOCAL_OPERATION_ERROR;
    }
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.SEND, refusal);
    }
    long sequence = add(request, CompletionKind.SEND, request.length());
    int opcode =
        RdmapFlags.solicited(request.flags())
            ? RdmapHeader.SEND_WITH_IMMEDIATE_SOLICITED
            : RdmapHeader.SEND_WITH_IMMEDIATE;
    int data = (int) request.immediate();
    return sender.postUntagged(sequence, opcode, data, RdmapHeader.SEND_QUEUE, request);
  }

  /**
   * Both ends have agreed on Sends with immediate data ({@link #postSendWithImmediate}); before the
   * stream begins.
   */
  public void allowSendWithImmediate() {
    user.allowSendWithImmediate();
  }

  /**
   * Writes like {@link #postWrite}, then sends immediate data like {@link #postImmediate}. When the
   * peer's program has it, the written octets are visible to it. Both end as one request.
   *
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postWriteImmediate(StreamRequest request) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = messageRefusal(request);
    refusal = refusal == RdmapCompletionStatus.SUCCESS ? extensionRefusal() : refusal;
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.WRITE, refusal);
    }
    long sequence = add(request, CompletionKind.WRITE, request.length());
    int next = ImmediateData.opcode(request.flags());
    return sender.postTaggedThen( // RDMAPX-6-04
        sequence, RdmapHeader.WRITE, request, next, RdmapHeader.SEND_QUEUE);
  }

  /**
   * Adds to a number of eight octets at the peer (RFC 7306 section 5). It is in the peer's byte
   * order, at an address that is a multiple of eight, in a buffer with {@link
   * AccessRights#REMOTE_ATOMIC}. Its old value goes to the request's memory, in this machine's byte
   * order; these eight octets are the stream's until the request ends. Atomics count as reads for
   * ORD and fences.
   *
   * @param request its operand is added; its mask has the highest bit of each field, out of which
   *     nothing is carried, 0 for one field of 64 bits
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postFetchAdd(StreamRequest request) {
    return postAtomic(request, AtomicRequest.FETCH_ADD); // RDMAPX-5-02
  }

  /**
   * Replaces bits of a number at the peer, if other bits are as expected. Otherwise like {@link
   * #postFetchAdd}. For an unconditional swap, compare no bits; RFC 7306 has no other.
   *
   * @param request its operand has the new bits, its mask selects those to replace, and its compare
   *     mask those to compare with its compare value
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postCompareSwap(StreamRequest request) {
    return postAtomic(request, AtomicRequest.COMPARE_SWAP); // RDMAPX-5-02, RDMAPX-5.1.2-01
  }

  /** Posts an atomic. */
  private boolean postAtomic(StreamRequest request, int opcode) {
    if (sendQueue.isFull()) {
      return false;
    }
    int refusal = extensionRefusal();
    refusal = refusal == RdmapCompletionStatus.SUCCESS ? answerRefusal() : refusal;
    if (refusal != RdmapCompletionStatus.SUCCESS) {
      return refuse(request, CompletionKind.ATOMIC, refusal);
    }
    long sequence = add(request, CompletionKind.ATOMIC, AtomicRequest.OPERAND);
    int identifier = nextIdentifier++;
    requests.add().beginAtomic(sequence, identifier, request.message().address());
    AtomicRequest.write(atomicRequest, opcode, identifier, request);
    return sender.postInline( // RDMAPX-5.2-05: "in the order they were submitted by the ULP"
        sequence,
        RdmapHeader.ATOMIC_REQUEST,
        0,
        RdmapHeader.READ_QUEUE,
        atomicRequest,
        AtomicRequest.LENGTH);
  }

  /**
   * Takes memory away from posted requests: when this returns, nothing more is placed into it or
   * read from it. The requests stay in their queues. A request whose turn comes and that needs the
   * memory completes with {@link RdmapCompletionStatus#LOCAL_PROTECTION_ERROR} and ends the stream,
   * since the peer expects its message. A read names its memory by an STag, which must be
   * invalidated separately; its response then ends the stream.
   *
   * @param tokens which requests, by their tokens
   */
  public void revoke(LongPredicate tokens) {
    LongPredicate sequences = sequence -> sendQueue.has(sequence, tokens);
    ddp.revoke(tokens, sequences);
    requests.revoke(sequences);
  }

  /** Local operations: binding windows and invalidating local STags. */
  public RdmapLocalOperations localOperations() {
    return localOperations;
  }

  /**
   * Graceful teardown: nothing more may be posted for sending; when everything posted has been
   * sent, our half of the connection is closed. Receiving continues until the peer closes its half.
   * {@link RdmapHandler#onClosed} follows when both halves are closed. A stream that has not begun
   * flushes everything outstanding within this call.
   */
  public void close() {
    termination.close();
  }

  /**
   * Abortive teardown: flushes everything outstanding within this call and resets the connection.
   * After this returns no memory of the user is accessed. {@link RdmapHandler#onClosed} follows,
   * possibly within this call. For a stream that has not begun, it follows when TCP has ended.
   */
  public void abort() {
    termination.abort();
  }

  // ---- Requests that are not sent ----

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
        && sink.permits(AccessRights.LOCAL_WRITE) // RDMAP-5.2-04
        && !TaggedBuffer.wraps(request.localTo(), request.length())
        && sink.contains(request.localTo(), request.length());
  }

  /** Whether the stream sends nothing more, so that every request is flushed. */
  boolean sendsNothing() {
    return !sender.acceptsMessages() || user.failed();
  }

  /** The reason why a message cannot be sent, or {@link RdmapCompletionStatus#SUCCESS}. */
  private int messageRefusal(StreamRequest request) {
    return sendsNothing() ? RdmapCompletionStatus.FLUSHED : lengthError(request); // RDMAP-5.4-06
  }

  /**
   * The reason why a message of RFC 7306 cannot be sent, or {@link RdmapCompletionStatus#SUCCESS}.
   */
  private int extensionRefusal() {
    if (sendsNothing()) {
      return RdmapCompletionStatus.FLUSHED;
    }
    return user.postsExtension() // RDMAPX-4-02
        ? RdmapCompletionStatus.SUCCESS
        : RdmapCompletionStatus.LOCAL_OPERATION_ERROR;
  }

  private static int lengthError(StreamRequest request) {
    return request.length() < 0 || request.length() > DdpStream.MAX_MESSAGE
        ? RdmapCompletionStatus.LOCAL_LENGTH_ERROR
        : RdmapCompletionStatus.SUCCESS;
  }

  /** The reason why the peer cannot answer, or {@link RdmapCompletionStatus#SUCCESS}. */
  private int answerRefusal() {
    if (user.peerClosed()) {
      return RdmapCompletionStatus.FLUSHED;
    }
    return requests.closed()
        ? RdmapCompletionStatus.LOCAL_OPERATION_ERROR
        : RdmapCompletionStatus.SUCCESS;
  }

  /** Appends a request to the send queue, which must have room; returns its sequence number. */
  long add(StreamRequest request, int kind, long octets) {
    return sendQueue.add(request.token(), kind, octets, RdmapFlags.fenced(request.flags()));
  }

  /**
   * Ends a request of the send queue without sending it; requests posted before it complete first.
   * The queue may be full. Always returns true.
   *
   * @param kind of {@link CompletionKind}
   * @param status of {@link RdmapCompletionStatus}
   */
  public boolean refuse(StreamRequest request, int kind, int status) {
    sendQueue.refuse(request.token(), kind, status);
    return true;
  }

  // ---- The stream goes on in another engine ----

  /**
   * Transfers its state and that of DDP below. When read, the stream is new, with the same settings
   * and shared receives, and has its handler.
   *
   * @param connection its connection of MPA, when read; null before Full Operation
   */
  public void transfer(Snapshot snapshot, MpaConnection connection, DdpReferences references) {
    snapshot.begin(RdmapStream.class);
    nextIdentifier = snapshot.number("nextIdentifier", nextIdentifier);
    user.transfer(snapshot, references);
    ddp.transfer(snapshot, connection, references);
    snapshot.end();
  }
}
