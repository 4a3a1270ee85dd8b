package org.rddp.rdmap;

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
import org.rddp.ddp.UlpHandler;
import org.rddp.mpa.MpaError;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;

/**
 * One RDMAP Stream (RFC 5040) with its work queues: receives, and sends and writes. The layers
 * beneath it belong to it; {@link #transport()} is what a TCP connection speaks to.
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
  private final RdmapHandler handler;
  private final DdpStream ddp;
  private boolean failed;
  private RdmapError refused;

  private RdmapStream(
      DdpEngine engine,
      ProtectionDomain domain,
      RdmapSettings settings,
      byte[] requestData,
      RdmapHandler handler) {
    this.handler = handler;
    DdpSettings sizes =
        new DdpSettings(settings.mpa(), settings.sendDepth(), List.of(settings.receiveDepth()));
    ddp =
        requestData == null
            ? DdpStream.responder(engine, domain, sizes, this)
            : DdpStream.initiator(engine, domain, sizes, requestData, this);
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
    if (endsAtOnce(id, CompletionKind.RECEIVE, length, ddp.receives())) {
      return true;
    }
    return ddp.postReceive(RdmapHeader.SEND_QUEUE, id, address, length);
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
    if (endsAtOnce(id, CompletionKind.SEND, length, ddp.sends() && !failed)) {
      return true;
    }
    int control = RdmapHeader.control(RdmapHeader.SEND);
    return ddp.postUntagged(id, control, 0, RdmapHeader.SEND_QUEUE, address, length);
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
    if (endsAtOnce(id, CompletionKind.WRITE, length, ddp.sends() && !failed)) {
      return true;
    }
    int control = RdmapHeader.control(RdmapHeader.WRITE);
    return ddp.postTagged(id, control, remoteStag, remoteTo, address, length);
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
    ddp.abort();
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
  public int admitTagged(int rsvdUlp, int stag, long to, int octets) {
    if (RdmapHeader.version(rsvdUlp) != RdmapHeader.VERSION) {
      return refusal(RdmapError.INVALID_VERSION);
    }
    return RdmapHeader.opcode(rsvdUlp) == RdmapHeader.WRITE
        ? AccessRights.REMOTE_WRITE
        : refusal(RdmapError.UNEXPECTED_OPCODE);
  }

  @Override
  public int admitUntagged(int qn, int rsvdUlp) {
    if (RdmapHeader.version(rsvdUlp) != RdmapHeader.VERSION) {
      return refusal(RdmapError.INVALID_VERSION);
    }
    if (RdmapHeader.opcode(rsvdUlp) != RdmapHeader.SEND) {
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

  /** A Write: the peer's business alone (RFC 5040 section 5.1). */
  @Override
  public void onTaggedMessage(int rsvdUlp, int stag, long to, int octets) {}

  @Override
  public void onUntaggedMessage(
      int qn, int msn, long id, int rsvdUlp, int rsvdUlpRest, long octets) {
    handler.onCompletion(id, CompletionKind.RECEIVE, CompletionStatus.SUCCESS, octets);
  }

  @Override
  public void onSent(long id, int rsvdUlp, long octets) {
    handler.onCompletion(id, kind(rsvdUlp), CompletionStatus.SUCCESS, octets);
  }

  @Override
  public void onSendFlushed(long id, int rsvdUlp) {
    handler.onCompletion(id, kind(rsvdUlp), CompletionStatus.FLUSHED, 0);
  }

  private static int kind(int rsvdUlp) {
    return RdmapHeader.opcode(rsvdUlp) == RdmapHeader.WRITE
        ? CompletionKind.WRITE
        : CompletionKind.SEND;
  }

  @Override
  public void onReceiveFlushed(int qn, long id) {
    handler.onCompletion(id, CompletionKind.RECEIVE, CompletionStatus.FLUSHED, 0);
  }

  @Override
  public void onError(DdpError error, DdpErrorReport report) {
    failed = true;
    String name = error.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    handler.onError(
        RdmapHandler.LAYER_DDP, error.type(), error.code(), "DDP: " + name + segment(report));
  }

  @Override
  public void onRefused(DdpErrorReport report) {
    failed = true;
    handler.onError(
        RdmapHandler.LAYER_RDMAP,
        refused.type(),
        refused.code(),
        refused.title() + segment(report));
  }

  private static String segment(DdpErrorReport report) {
    return " in a segment of "
        + report.segmentLength()
        + " octets with header "
        + HexFormat.of().formatHex(report.header());
  }

  @Override
  public void onLlpError(MpaError error, String detail) {
    failed = true;
    handler.onError(RdmapHandler.LAYER_LLP, 0, error.code(), detail);
  }

  @Override
  public void onPeerClosed() {
    handler.onPeerClosed();
  }

  @Override
  public void onClosed(CloseReason reason) {
    handler.onClosed(reason);
  }
}
