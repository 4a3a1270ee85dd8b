package org.rddp.rdmap;

import java.util.List;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpSettings;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.DdpScatterList;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.QueueSettings;
import org.rddp.tcp.StreamHandler;

/**
 * One RDMAP Stream (RFC 5040) with its work queues: receives; and sends, writes, reads and atomics.
 * It owns the DDP and MPA layers below; {@link #transport()} is the handler for the TCP connection.
 *
 * <p>A post puts a request into a bounded queue, and {@link RdmapHandler#onCompletion} reports its
 * end exactly once. {@link DdpEngine#send} sends the posted requests. A post to a stream that has
 * failed or has been closed completes at once as flushed, within the call. Receives may be posted
 * before the stream is established; a Responder should post them before it accepts, since a peer's
 * Send without a receive is an error.
 *
 * <p>Engine thread only.
 */
public final class RdmapStream {
  private final RdmapHandler handler;
  private final Termination termination;
  private final DdpStream ddp;
  private final RequestPoster posts;
  private final RdmapExtensions extensions;
  private final RdmapLocalOperations localOperations;

  private RdmapStream(
      DdpEngine engine,
      ProtectionDomain domain,
      RdmapSettings settings,
      byte[] requestData,
      RdmapHandler handler) {
    this.handler = handler;
    TaggedBuffers taggedBuffers = engine.taggedBuffers();
    RdmapSendQueue sendQueue = new RdmapSendQueue(settings.sendDepth(), handler);
    OutstandingRequests requests = new OutstandingRequests(settings.sendDepth(), settings.ord());
    Requester requester = new Requester(sendQueue, requests);
    termination = new Termination(handler, requester);
    RdmapReceiver user =
        new RdmapReceiver(handler, taggedBuffers, sendQueue, requester, termination);
    DdpSettings sizes = sizes(settings);
    ddp =
        requestData == null
            ? DdpStream.responder(engine, domain, sizes, user)
            : DdpStream.initiator(engine, domain, sizes, requestData, user);
    user.attach(ddp);
    posts = new RequestPoster(handler, taggedBuffers, sendQueue, requests, user, ddp);
    extensions = new RdmapExtensions(posts);
    localOperations =
        new RdmapLocalOperations(taggedBuffers, sendQueue, posts, ddp, settings.sendDepth());
    user.attach(localOperations);
  }

  private static DdpSettings sizes(RdmapSettings settings) {
    return new DdpSettings(
        settings.mpa().withReads(settings.ird(), settings.ord()),
        settings.sendDepth(),
        settings.ird(),
        List.of(
            settings.sharedReceives() == null
                ? QueueSettings.buffered(settings.receiveDepth())
                : QueueSettings.shared(settings.sharedReceives()),
            QueueSettings.inPlace(settings.ird(), AtomicRequest.LENGTH),
            QueueSettings.inPlace(1, Terminate.MAX_LENGTH),
            QueueSettings.inPlace(settings.ord(), AtomicRequest.ANSWER_LENGTH)),
        settings.heldOctets());
  }

  /**
   * Creates an Initiator. Its {@link #transport()} is passed to {@code TcpStack.connect}.
   *
   * @param domain the domain whose STags the peer may use
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
   * Creates a Responder. The listener's acceptor returns its {@link #transport()}.
   *
   * @param domain the domain whose STags the peer may use
   */
  public static RdmapStream responder(
      DdpEngine engine, ProtectionDomain domain, RdmapSettings settings, RdmapHandler handler) {
    return new RdmapStream(engine, domain, settings, null, handler);
  }

  /** The handler for the TCP connection. */
  public StreamHandler transport() {
    return ddp.transport();
  }

  /** The DDP Stream below, for associating an STag with this stream only. */
  public DdpStream ddp() {
    return ddp;
  }

  /**
   * Responder: the most octets of Private Data that {@link #accept} and {@link #reject} take, 508
   * or 512.
   */
  public int maxPrivateData() {
    return ddp.maxPrivateData();
  }

  /**
   * Responder: accepts the peer's request.
   *
   * @param privateData for the peer's program, 0 to {@link #maxPrivateData()} octets
   */
  public void accept(byte[] privateData) {
    ddp.accept(privateData);
  }

  /**
   * Responder: rejects the peer's request. The connection stays open until {@link #close()}.
   *
   * @param privateData for the peer's program, 0 to {@link #maxPrivateData()} octets
   */
  public void reject(byte[] privateData) {
    ddp.reject(privateData);
  }

  /**
   * Posts a buffer for one of the peer's Sends. One that has waited for it completes within this
   * call.
   *
   * @param id comes back with the completion
   * @param address where the message goes; the memory is the stream's until then
   * @param length in octets, 0 to 2^32-1
   * @return false, and nothing happens, if the queue is full, or the stream's receives are shared
   */
  public boolean postReceive(long id, long address, long length) {
    return receiveEnds(id, length) || ddp.postReceive(RdmapHeader.SEND_QUEUE, id, address, length);
  }

  /** Posts a buffer in pieces, as {@link #postReceive(long, long, long)} does. */
  public boolean postReceive(long id, DdpScatterList list) {
    return receiveEnds(id, list.length()) || ddp.postReceive(RdmapHeader.SEND_QUEUE, id, list);
  }

  /** Ends a receive at once that cannot be posted. */
  private boolean receiveEnds(long id, long length) {
    if (length < 0 || length > DdpStream.MAX_MESSAGE) {
      handler.onCompletion(id, CompletionKind.RECEIVE, RdmapCompletionStatus.LENGTH_ERROR, 0);
      return true;
    }
    if (!ddp.acceptsBuffers()) {
      handler.onCompletion(id, CompletionKind.RECEIVE, RdmapCompletionStatus.FLUSHED, 0);
      return true;
    }
    return false;
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
    return postSend(id, 0, address, length, 0);
  }

  /**
   * Sends a message as {@link #postSend(long, long, long)} does, with something besides.
   *
   * @param flags of {@link RequestFlags}
   * @param invalidate an STag of the peer's that it invalidates when it has the message, or 0; an
   *     error of the stream if the peer does not allow it
   * @return false, and nothing happens, if the queue is full
   */
  public boolean postSend(long id, int flags, long address, long length, int invalidate) {
    return posts.send(id, flags, invalidate, address, length);
  }

  /** Sends a message in pieces, as {@link #postSend(long, int, long, long, int)} does. */
  public boolean postSend(long id, int flags, DdpScatterList list, int invalidate) {
    return posts.send(id, flags, invalidate, list);
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
    return posts.write(id, 0, address, length, remoteStag, remoteTo);
  }

  /**
   * Writes as {@link #postWrite(long, long, long, int, long)} does.
   *
   * @param flags of {@link RequestFlags}
   */
  public boolean postWrite(
      long id, int flags, long address, long length, int remoteStag, long remoteTo) {
    return posts.write(id, flags, address, length, remoteStag, remoteTo);
  }

  /** Writes pieces of memory, in order, into one contiguous range of the peer's. */
  public boolean postWrite(long id, int flags, DdpScatterList list, int remoteStag, long remoteTo) {
    return posts.write(id, flags, list, remoteStag, remoteTo);
  }

  /**
   * Reads from a buffer of the peer's into one of ours; neither program does anything for it. The
   * answer goes to one STag, to octets that follow each other (RFC 5040 section 4.4): there is no
   * read into pieces.
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
    return posts.read(id, 0, localStag, localTo, length, remoteStag, remoteTo);
  }

  /**
   * Reads as {@link #postRead(long, int, long, long, int, long)} does.
   *
   * @param flags of {@link RequestFlags}
   */
  public boolean postRead(
      long id, int flags, int localStag, long localTo, long length, int stag, long remoteTo) {
    return posts.read(id, flags, localStag, localTo, length, stag, remoteTo);
  }

  /** The extensions of RFC 7306: immediate data and atomic operations. */
  public RdmapExtensions extensions() {
    return extensions;
  }

  /** Local operations: binding windows and invalidating local STags. */
  public RdmapLocalOperations localOperations() {
    return localOperations;
  }

  /**
   * Graceful teardown: nothing more may be posted to be sent; when everything posted has been sent,
   * our half of the connection is closed. Receiving goes on until the peer closes its half. {@link
   * RdmapHandler#onClosed} follows when both halves are closed. A stream that is still starting
   * aborts; a rejected one flushes everything outstanding within this call.
   */
  public void close() {
    termination.close();
  }

  /**
   * Abortive teardown: flushes everything outstanding within this call and resets the connection.
   * After this returns no memory of the user is accessed. {@link RdmapHandler#onClosed} follows,
   * possibly within this call.
   */
  public void abort() {
    termination.abort();
  }
}
