package org.rddp.rdmap;

import java.nio.ByteBuffer;
import java.util.List;
import org.rddp.ddp.AccessRights;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.DdpSettings;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.ProtectionDomain;
import org.rddp.ddp.QueueSettings;
import org.rddp.ddp.TaggedBuffer;
import org.rddp.ddp.TaggedBuffers;
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
public final class RdmapStream {
  private final RdmapHandler handler;
  private final TaggedBuffers taggedBuffers;
  private final SendQueue sendQueue;
  private final ReadQueue reads;
  private final StreamUser user;
  private final DdpStream ddp;
  private final ByteBuffer readRequest = ByteBuffer.allocate(ReadRequest.LENGTH);

  private RdmapStream(
      DdpEngine engine,
      ProtectionDomain domain,
      RdmapSettings settings,
      byte[] requestData,
      RdmapHandler handler) {
    this.handler = handler;
    taggedBuffers = engine.taggedBuffers();
    sendQueue = new SendQueue(settings.sendDepth(), handler);
    reads = new ReadQueue(settings.sendDepth(), settings.ord());
    user = new StreamUser(handler, taggedBuffers, sendQueue, reads);
    DdpSettings sizes = sizes(settings);
    ddp =
        requestData == null
            ? DdpStream.responder(engine, domain, sizes, user)
            : DdpStream.initiator(engine, domain, sizes, requestData, user);
    user.attach(ddp);
  }

  private static DdpSettings sizes(RdmapSettings settings) {
    return new DdpSettings(
        settings.mpa(),
        settings.sendDepth(),
        settings.ird(),
        List.of(
            QueueSettings.buffered(settings.receiveDepth()),
            QueueSettings.inPlace(settings.ird(), ReadRequest.LENGTH),
            QueueSettings.inPlace(1, Terminate.MAX_LENGTH)));
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
   * Responder: the most octets of Private Data that an answer to the peer's request carries, 508 or
   * 512.
   */
  public int maxPrivateData() {
    return ddp.maxPrivateData();
  }

  /**
   * Responder: answers the peer's request.
   *
   * @param privateData for the peer's program, 0 to {@link #maxPrivateData()} octets
   */
  public void accept(byte[] privateData) {
    ddp.accept(privateData);
  }

  /**
   * Responder: declines the peer's request. The connection stays until {@link #close()}.
   *
   * @param privateData for the peer's program, 0 to {@link #maxPrivateData()} octets
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
    if (endsAtOnce(id, CompletionKind.READ, length, sends() && !user.peerClosed())) {
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
    return ddp.sends() && !user.failed();
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
    user.abort();
  }
}
