package org.rddp.rdmap;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.rddp.ddp.AccessRights;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpError;
import org.rddp.ddp.DdpErrorReport;
import org.rddp.ddp.DdpSettings;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.ProtectionDomain;
import org.rddp.ddp.QueueSettings;
import org.rddp.ddp.TaggedBuffer;
import org.rddp.ddp.TaggedBuffers;
import org.rddp.ddp.UlpHandler;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.Ulpdu;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;

/**
 * One RDMAP Stream (RFC 5040) with its work queues: receives; and sends, writes and reads. The
 * layers beneath it belong to it; {@link #transport()} is what a TCP connection speaks to.
 *
 * <p>A post puts a request into a bounded queue, and {@link RdmapHandler#onCompletion} says,
 * exactly once, how it ended. What is posted to be sent leaves in {@link DdpEngine#send}. A post to
 * a stream that has failed, or has been closed, ends at once, as flushed: the completion comes from
 * within the post. Receives may be posted before the stream is up, and a Responder should, before
 * it accepts: a peer's Send that finds none is an error.
 *
 * <p>Engine thread only.
 */
public final class RdmapStream implements UlpHandler {
  /** What DDP knows a Terminate by: no request of a program. */
  private static final long TERMINATE_ID = -1;

  private static final byte[] NONE = {};

  private final RdmapHandler handler;
  private final TaggedBuffers taggedBuffers;
  private final DdpStream ddp;
  private final SendQueue sendQueue;
  private final ReadQueue reads;
  private final ReadResponder responder;
  private final ByteBuffer readRequest = ByteBuffer.allocate(ReadRequest.LENGTH);
  private boolean failed;
  private boolean peerClosed;
  private RdmapError refused;

  private RdmapStream(
      DdpEngine engine,
      ProtectionDomain domain,
      RdmapSettings settings,
      byte[] requestData,
      RdmapHandler handler) {
    this.handler = handler;
    taggedBuffers = engine.taggedBuffers();
    DdpSettings sizes =
        new DdpSettings(
            settings.mpa(),
            settings.sendDepth(),
            settings.ird(),
            List.of(
                QueueSettings.buffered(settings.receiveDepth()),
                QueueSettings.inPlace(settings.ird(), ReadRequest.LENGTH),
                QueueSettings.inPlace(1, Terminate.MAX_LENGTH)));
    ddp =
        requestData == null
            ? DdpStream.responder(engine, domain, sizes, this)
            : DdpStream.initiator(engine, domain, sizes, requestData, this);
    sendQueue = new SendQueue(settings.sendDepth(), handler);
    reads = new ReadQueue(settings.sendDepth(), settings.ord());
    responder = new ReadResponder(ddp, taggedBuffers);
  }

  /**
   * A stream that we ask for: its {@link #transport()} goes to {@code TcpStack.connect}.
   *
   * @param domain whose STags the peer may name
   * @param privateData for the peer's program, 0 to 512 octets
   */
  public static RdmapStream initiator(
      DdpEngine engine,
      ProtectionDomain domain,
      RdmapSettings settings,
      byte[] privateData,
      RdmapHandler handler) {
    return new RdmapStream(engine, domain, settings, privateData.clone(), handler);
  }

  /**
   * A stream that a peer asks for: its {@link #transport()} is what the listener's acceptor
   * returns.
   *
   * @param domain whose STags the peer may name
   */
  public static RdmapStream responder(
      DdpEngine engine, ProtectionDomain domain, RdmapSettings settings, RdmapHandler handler) {
    return new RdmapStream(engine, domain, settings, null, handler);
  }

  /** What the TCP connection speaks to. */
  public StreamHandler transport() {
    return ddp.transport();
  }

  /** The DDP Stream beneath, by which an STag can be tied to this stream alone. */
  public DdpStream ddp() {
    return ddp;
  }

  /**
   * Responder: answers the peer's request.
   *
   * @param privateData for the peer's program, 0 to 512 octets
   */
  public void accept(byte[] privateData) {
    ddp.accept(privateData);
  }

  /**
   * Responder: declines the peer's request. The connection stays until {@link #close()}.
   *
   * @param privateData for the peer's program, 0 to 512 octets
   */
  public void reject(byte[] privateData) {
    ddp.reject(privateData);
  }

  /**
   * Posts a buffer for one of the peer's Sends.
   *
   * @param id comes back with the completion
   * @param address where the message goes; the memory is the stream's until then
   * @param length in octets, 0 to 2^32-1
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postReceive(long id, long address, long length) {
    return endsAtOnce(id, CompletionKind.RECEIVE, length, ddp.receives())
        || ddp.postReceive(RdmapHeader.SEND_QUEUE, id, address, length);
  }

  /**
   * Sends a message to the peer's next posted receive.
   *
   * @param id comes back with the completion
   * @param address where the message lies; the memory is the stream's until then
   * @param length in octets, 0 to 2^32-1
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postSend(long id, long address, long length) {
    return postSend(id, address, length, RdmapHeader.SEND, 0);
  }

  /**
   * Sends a message as {@link #postSend(long, long, long)} does, with something besides.
   *
   * @param solicited whether the peer's program is to be woken for it
   * @param invalidate an STag of the peer's that it invalidates when it has the message, or 0; an
   *     error of the stream if the peer does not allow it
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postSend(long id, long address, long length, boolean solicited, int invalidate) {
    int opcode = solicited ? RdmapHeader.SEND_SOLICITED : RdmapHeader.SEND;
    return postSend(id, address, length, invalidate == 0 ? opcode : opcode + 1, invalidate);
  }

  private boolean postSend(long id, long address, long length, int opcode, int invalidate) {
    if (endsAtOnce(id, CompletionKind.SEND, length, sends())) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.SEND, length);
    int control = RdmapHeader.control(opcode);
    return ddp.postUntagged(number, control, invalidate, RdmapHeader.SEND_QUEUE, address, length);
  }

  /**
   * Writes into a buffer of the peer's, whose program learns nothing of it.
   *
   * @param id comes back with the completion
   * @param address where the octets lie; the memory is the stream's until then
   * @param length in octets, 0 to 2^32-1
   * @param remoteStag the peer's name for the buffer
   * @param remoteTo Tagged Offset there of the first octet
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postWrite(long id, long address, long length, int remoteStag, long remoteTo) {
    if (endsAtOnce(id, CompletionKind.WRITE, length, sends())) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.WRITE, length);
    int control = RdmapHeader.control(RdmapHeader.WRITE);
    return ddp.postTagged(number, control, remoteStag, remoteTo, address, length);
  }

  /**
   * Reads from a buffer of the peer's into one of ours; neither program does anything for it.
   *
   * @param id comes back with the completion
   * @param localStag our name for where the octets go, with {@link AccessRights#LOCAL_WRITE}; the
   *     range is the stream's until then
   * @param localTo Tagged Offset there of the first octet
   * @param length in octets, 0 to 2^32-1
   * @param remoteStag the peer's name for where they come from
   * @param remoteTo Tagged Offset there of the first octet
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postRead(
      long id, int localStag, long localTo, long length, int remoteStag, long remoteTo) {
    if (endsAtOnce(id, CompletionKind.READ, length, sends() && !peerClosed)) {
      return true;
    }
    if (sendQueue.isFull()) {
      return false;
    }
    long number = sendQueue.add(id, CompletionKind.READ, length);
    if (length > 0 && !mayReadInto(localStag, localTo, length)) {
      sendQueue.end(number, CompletionStatus.LOCAL_PROTECTION_ERROR);
      return true;
    }
    reads.add(number, localStag, localTo, length);
    ReadRequest.write(readRequest, localStag, localTo, length, remoteStag, remoteTo);
    int control = RdmapHeader.control(RdmapHeader.READ_REQUEST);
    return ddp.postInline(
        number, control, 0, RdmapHeader.READ_QUEUE, readRequest.array(), ReadRequest.LENGTH);
  }

  private boolean mayReadInto(int stag, long to, long length) {
    TaggedBuffer sink = taggedBuffers.lookup(stag);
    return sink != null
        && sink.associatedWith(ddp)
        && sink.permits(AccessRights.LOCAL_WRITE)
        && !TaggedBuffer.wraps(to, length)
        && sink.contains(to, length);
  }

  private boolean sends() {
    return ddp.sends() && !failed;
  }

  private boolean endsAtOnce(long id, int kind, long length, boolean taken) {
    if (length < 0 || length > DdpStream.MAX_MESSAGE) {
      handler.onCompletion(id, kind, CompletionStatus.LENGTH_ERROR, 0);
      return true;
    }
    if (!taken) {
      handler.onCompletion(id, kind, CompletionStatus.FLUSHED, 0);
      return true;
    }
    return false;
  }

  /**
   * Graceful teardown: nothing more may be sent; when everything posted has been, our half of the
   * connection is closed. Receiving goes on until the peer closes its half. {@link
   * RdmapHandler#onClosed} follows when both are closed. A stream that is still starting aborts.
   */
  public void close() {
    ddp.close();
  }

  /**
   * Abortive teardown: everything outstanding ends as flushed, within this call, and the connection
   * is reset. No memory of the user is touched once this returns. {@link RdmapHandler#onClosed}
   * follows, perhaps within this call.
   */
  public void abort() {
    failed = true;
    ddp.abort();
    endReads();
  }

  @Override
  public void onRequest(byte[] privateData) {
    handler.onRequest(privateData);
  }

  @Override
  public void onFullOperation(byte[] privateData) {
    handler.onEstablished(privateData);
  }

  @Override
  public void onRejected(byte[] privateData) {
    handler.onRejected(privateData);
  }

  @Override
  public int admitTagged(int rsvdUlp, int stag, long to, int octets, boolean last) {
    if (RdmapHeader.version(rsvdUlp) != RdmapHeader.VERSION) {
      return refusal(RdmapError.INVALID_VERSION);
    }
    return switch (RdmapHeader.opcode(rsvdUlp)) {
      case RdmapHeader.WRITE -> AccessRights.REMOTE_WRITE;
      case RdmapHeader.READ_RESPONSE -> admitResponse(stag, to, octets, last);
      default -> refusal(RdmapError.UNEXPECTED_OPCODE);
    };
  }

  private int admitResponse(int stag, long to, int octets, boolean last) {
    OutstandingRead read = reads.awaited();
    if (read == null) {
      return refusal(RdmapError.UNEXPECTED_OPCODE);
    }
    RdmapError error = read.refusal(stag, to, octets, last);
    if (error != null) {
      return refusal(error);
    }
    read.advance(octets);
    return AccessRights.LOCAL_WRITE;
  }

  @Override
  public int admitUntagged(int qn, int rsvdUlp) {
    if (RdmapHeader.version(rsvdUlp) != RdmapHeader.VERSION) {
      return refusal(RdmapError.INVALID_VERSION);
    }
    int queue = RdmapHeader.queue(RdmapHeader.opcode(rsvdUlp));
    boolean wrongQueue = queue != qn && qn >= 0 && qn <= RdmapHeader.TERMINATE_QUEUE;
    if (queue < 0 || wrongQueue) {
      return refusal(RdmapError.UNEXPECTED_OPCODE);
    }
    if (qn == RdmapHeader.SEND_QUEUE && ddp.lacksReceive(qn)) {
      handler.onReceiveMissing();
    }
    return 0;
  }

  private int refusal(RdmapError error) {
    refused = error;
    return REFUSED;
  }

  /** A Write is the peer's business alone (RFC 5040 section 5.1); a Read Response ends a read. */
  @Override
  public void onTaggedMessage(int rsvdUlp, int stag, long to, int octets) {
    if (RdmapHeader.opcode(rsvdUlp) == RdmapHeader.READ_RESPONSE) {
      long number = reads.awaited().number();
      reads.removeFirst();
      ddp.resume();
      sendQueue.end(number, CompletionStatus.SUCCESS);
    }
  }

  @Override
  public void onUntaggedMessage(
      int qn, int msn, long id, int rsvdUlp, int rsvdUlpRest, long octets) {
    int opcode = RdmapHeader.opcode(rsvdUlp);
    int invalidated = 0;
    if (RdmapHeader.invalidates(opcode)) {
      if (!mayInvalidate(rsvdUlpRest)) {
        handler.onCompletion(id, CompletionKind.RECEIVE, CompletionStatus.FLUSHED, 0);
        fail(RdmapError.CANNOT_INVALIDATE, null, NONE);
        return;
      }
      taggedBuffers.invalidate(rsvdUlpRest);
      invalidated = rsvdUlpRest;
    }
    handler.onReceived(id, octets, RdmapHeader.solicits(opcode), invalidated);
  }

  private boolean mayInvalidate(int stag) {
    TaggedBuffer buffer = taggedBuffers.lookup(stag);
    return buffer != null
        && buffer.associatedWith(ddp)
        && buffer.permits(AccessRights.REMOTE_INVALIDATE);
  }

  @Override
  public void onMessageInPlace(int qn, int rsvdUlp, Ulpdu segment, int from, int octets) {
    if (qn == RdmapHeader.READ_QUEUE) {
      onReadRequest(segment, from, octets);
    } else {
      onTerminate(segment, from, octets);
    }
  }

  private void onReadRequest(Ulpdu segment, int from, int octets) {
    if (octets != ReadRequest.LENGTH) {
      fail(RdmapError.UNSPECIFIED, DdpErrorReport.of(segment), NONE);
      return;
    }
    RdmapError error = responder.take(segment, from);
    if (error != null) {
      byte[] request = new byte[ReadRequest.LENGTH];
      for (int i = 0; i < request.length; i++) {
        request[i] = (byte) segment.getByte(from + i);
      }
      fail(error, DdpErrorReport.of(segment), request);
    }
  }

  private void onTerminate(Ulpdu segment, int from, int octets) {
    if (octets < Terminate.MIN_LENGTH) {
      fail(RdmapError.UNSPECIFIED, DdpErrorReport.of(segment), NONE);
      return;
    }
    Terminate terminate = Terminate.read(segment, from);
    ddp.fail();
    ended();
    handler.onError(
        terminate.layer(), terminate.type(), terminate.code(), "the peer ended the stream");
  }

  @Override
  public boolean mayStart(long id, int rsvdUlp) {
    return RdmapHeader.opcode(rsvdUlp) != RdmapHeader.READ_REQUEST || reads.mayStart();
  }

  @Override
  public void onSent(long id, int rsvdUlp, long octets) {
    switch (RdmapHeader.opcode(rsvdUlp)) {
      case RdmapHeader.READ_REQUEST -> reads.start();
      case RdmapHeader.TERMINATE -> {}
      default -> sendQueue.end(id, CompletionStatus.SUCCESS);
    }
  }

  @Override
  public void onResponseSent() {
    ddp.giveBack(RdmapHeader.READ_QUEUE);
  }

  @Override
  public void onSourceInvalidated() {
    fail(RdmapError.INVALID_STAG, null, NONE);
  }

  /** Reads end by themselves, in {@link #endReads()}, whether DDP still had them or not. */
  @Override
  public void onSendFlushed(long id, int rsvdUlp) {
    int opcode = RdmapHeader.opcode(rsvdUlp);
    if (opcode != RdmapHeader.READ_REQUEST && opcode != RdmapHeader.TERMINATE) {
      sendQueue.end(id, CompletionStatus.FLUSHED);
    }
  }

  @Override
  public void onReceiveFlushed(int qn, long id) {
    handler.onCompletion(id, CompletionKind.RECEIVE, CompletionStatus.FLUSHED, 0);
  }

  @Override
  public void onError(DdpError error, DdpErrorReport report) {
    String name = error.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    terminate(RdmapHandler.LAYER_DDP, error.type(), error.code(), report, NONE);
    handler.onError(
        RdmapHandler.LAYER_DDP, error.type(), error.code(), "DDP: " + name + segment(report));
  }

  @Override
  public void onRefused(DdpErrorReport report) {
    fail(refused, report, NONE);
  }

  @Override
  public void onLlpError(MpaError error, String detail) {
    terminate(RdmapHandler.LAYER_LLP, 0, error.code(), null, NONE);
    handler.onError(RdmapHandler.LAYER_LLP, 0, error.code(), detail);
  }

  /** RDMAP itself has found an error, in the segment of the report if there is one. */
  private void fail(RdmapError error, DdpErrorReport report, byte[] request) {
    ddp.fail();
    terminate(RdmapHandler.LAYER_RDMAP, error.type(), error.code(), report, request);
    handler.onError(
        RdmapHandler.LAYER_RDMAP,
        error.type(),
        error.code(),
        error.title() + (report == null ? "" : segment(report)));
  }

  private static String segment(DdpErrorReport report) {
    return " in a segment of "
        + report.segmentLength()
        + " octets with header "
        + HexFormat.of().formatHex(report.header());
  }

  /** Tells the peer, in the last message of the stream, what is wrong. */
  private void terminate(int layer, int type, int code, DdpErrorReport report, byte[] request) {
    byte[] octets = Terminate.encode(layer, type, code, report, request);
    ddp.postInline(
        TERMINATE_ID,
        RdmapHeader.control(RdmapHeader.TERMINATE),
        0,
        RdmapHeader.TERMINATE_QUEUE,
        octets,
        octets.length);
    ended();
  }

  /** The stream is over but for what DDP still has to send. */
  private void ended() {
    failed = true;
    endReads();
    ddp.close();
  }

  private void endReads() {
    long number = reads.abandonFirst();
    while (number >= 0) {
      sendQueue.end(number, CompletionStatus.FLUSHED);
      number = reads.abandonFirst();
    }
  }

  @Override
  public void onPeerClosed() {
    peerClosed = true;
    if (reads.isEmpty()) {
      handler.onPeerClosed();
    } else {
      ddp.fail();
      ended();
      handler.onError(
          RdmapHandler.LAYER_LLP,
          0,
          MpaError.CONNECTION_LOST.code(),
          "the peer closed before it had answered every RDMA Read");
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    failed = true;
    endReads();
    handler.onClosed(reason);
  }
}
