package org.rddp.rdmap;

import java.util.HexFormat;
import java.util.Locale;
import org.rddp.ddp.AccessRights;
import org.rddp.ddp.DdpError;
import org.rddp.ddp.DdpErrorReport;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.TaggedBuffer;
import org.rddp.ddp.TaggedBuffers;
import org.rddp.ddp.UlpHandler;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.Ulpdu;
import org.rddp.tcp.CloseReason;

/**
 * RDMAP as DDP's user: what a stream does with what comes up from DDP, and how it ends (RFC 5040
 * sections 5 to 7).
 */
final class StreamUser implements UlpHandler {
  /** What DDP knows a Terminate by: no request of a program. */
  private static final long TERMINATE_ID = -1;

  private static final byte[] NONE = {};

  private final RdmapHandler handler;
  private final TaggedBuffers taggedBuffers;
  private final SendQueue sendQueue;
  private final ReadQueue reads;
  private DdpStream ddp;
  private ReadResponder responder;
  private boolean failed;
  private boolean peerClosed;
  private RdmapError refused;

  StreamUser(
      RdmapHandler handler, TaggedBuffers taggedBuffers, SendQueue sendQueue, ReadQueue reads) {
    this.handler = handler;
    this.taggedBuffers = taggedBuffers;
    this.sendQueue = sendQueue;
    this.reads = reads;
  }

  /** The stream that it is the user of; to be called before anything happens to that. */
  void attach(DdpStream stream) {
    ddp = stream;
    responder = new ReadResponder(stream, taggedBuffers);
  }

  /** Whether nothing may be posted any more. */
  boolean failed() {
    return failed;
  }

  /** Whether the peer has closed its half, so that no answer can come. */
  boolean peerClosed() {
    return peerClosed;
  }

  /** Flushes everything and resets the connection. */
  void abort() {
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

  /** Nothing is noted here: what the segment means has its turn. */
  @Override
  public int admitEarly(int rsvdUlp, int stag, long to, int octets) {
    if (RdmapHeader.version(rsvdUlp) != RdmapHeader.VERSION) {
      return REFUSED;
    }
    return switch (RdmapHeader.opcode(rsvdUlp)) {
      case RdmapHeader.WRITE -> AccessRights.REMOTE_WRITE;
      case RdmapHeader.READ_RESPONSE ->
          reads.awaits(stag, to, octets) ? AccessRights.LOCAL_WRITE : REFUSED;
      default -> REFUSED;
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
