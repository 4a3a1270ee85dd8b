package org.rddp.ddp;

import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.receiving.Placement;
import org.rddp.ddp.receiving.UntaggedQueues;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.sending.DdpSender;
import org.rddp.ddp.sending.OutgoingMessage;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.Rtr;
import org.rddp.mpa.Ulpdu;
import org.rddp.tcp.StreamHandler;

/**
 * One DDP Stream over one MPA connection (RFC 5041 section 6): messages out, segments in, and the
 * ways in which it ends.
 *
 * <p>Whatever is posted comes back exactly once: sent, Delivered or flushed. A stream that fails
 * reports it and stays until its user closes or aborts it. Engine thread only.
 */
public final class DdpStream {
  /** No ULP message is longer (RFC 5041 section 5.2). */
  public static final long MAX_MESSAGE = 0xffff_ffffL;

  /** The most octets that {@link #postInline} takes. */
  public static final int INLINE = OutgoingMessage.INLINE;

  private final ProtectionDomain domain;
  private final UntaggedQueues queues;
  private final DdpSender sender;
  private final DdpStreamState state;
  private MpaConnection mpa;
  private boolean initiator;

  private DdpStream(
      DdpEngine engine, ProtectionDomain domain, DdpSettings settings, UlpHandler user) {
    this.domain = domain;
    queues = new UntaggedQueues(settings.queues());
    sender = new DdpSender(engine, user, settings);
    Placement placement = new Placement(this, engine.taggedBuffers(), queues);
    state =
        new DdpStreamState(
            user, engine.counters(), queues, sender, placement, settings.heldOctets());
  }

  /**
   * A stream that we ask for: its {@link #transport()} goes to a TCP connection to the peer.
   *
   * @param privateData for the peer's program, 0 to 512 octets
   */
  public static DdpStream initiator(
      DdpEngine engine,
      ProtectionDomain domain,
      DdpSettings settings,
      byte[] privateData,
      UlpHandler user) {
    DdpStream stream = new DdpStream(engine, domain, settings, user);
    MpaSettings mpa = settings.mpa().withEarly(true);
    return stream.over(MpaConnection.initiator(mpa, privateData, stream.state), true);
  }

  /** A stream that the peer asks for: its {@link #transport()} goes to an incoming connection. */
  public static DdpStream responder(
      DdpEngine engine, ProtectionDomain domain, DdpSettings settings, UlpHandler user) {
    DdpStream stream = new DdpStream(engine, domain, settings, user);
    MpaSettings mpa = settings.mpa().withEarly(true);
    return stream.over(MpaConnection.responder(mpa, stream.state), false);
  }

  private DdpStream over(MpaConnection connection, boolean initiator) {
    mpa = connection;
    this.initiator = initiator;
    state.attach(connection, initiator);
    return this;
  }

  /** What the TCP connection speaks to. */
  public StreamHandler transport() {
    return mpa;
  }

  /** The domain whose STags the peer may name on this stream. */
  public ProtectionDomain protectionDomain() {
    return domain;
  }

  /** Responder: the most octets of Private Data that an answer to the peer's request carries. */
  public int maxPrivateData() {
    return mpa.maxPrivateData();
  }

  /** Responder: answers the peer's request. */
  public void accept(byte[] privateData) {
    mpa.accept(privateData);
  }

  /** Responder: declines the peer's request. */
  public void reject(byte[] privateData) {
    state.reject(privateData);
  }

  /** Whether messages may be posted: neither closed nor, but for one last message, failed. */
  public boolean acceptsMessages() {
    return sender.acceptsMessages();
  }

  /** Whether buffers may be posted: the stream has not failed. */
  public boolean acceptsBuffers() {
    return state.acceptsBuffers();
  }

  /** Whether the peer's next message on that queue, one of buffers, would find none. */
  public boolean lacksBuffer(int qn) {
    return queues.buffered(qn).lacksBuffer();
  }

  /**
   * Appends a buffer to a queue; the peer's next message on that queue goes to the first one. What
   * has waited for it is taken within this call.
   *
   * @param qn Queue Number, one of the stream's
   * @param request says where the message goes; its id comes back with the buffer
   * @return false, and nothing happens, if the queue is full or shared, or the stream does not
   *     receive
   */
  public boolean postReceive(int qn, StreamRequest request) {
    checkLength(request);
    if (!state.acceptsBuffers() || !queues.buffered(qn).post(request)) {
      return false;
    }
    state.bufferPosted();
    return true;
  }

  /**
   * Sends a message to a Tagged Buffer of the peer. Each piece of memory is cut into segments by
   * itself.
   *
   * @param id comes back when it has been sent
   * @param rsvdUlp the user's octet
   * @param request says where the message lies, 0 to 2^32-1 octets, and where at the peer it goes
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postTagged(long id, int rsvdUlp, StreamRequest request) {
    checkLength(request);
    return sender.postTagged(id, rsvdUlp, request);
  }

  /**
   * Sends a message as {@link #postTagged} does and, directly behind it, the request's immediate
   * data, eight octets in network order, to the next buffer of one of the peer's queues. {@link
   * UlpHandler#onSent} follows for the two together, with the octet and the length of the second.
   *
   * @param id comes back when both have been sent
   * @param rsvdUlp the user's octet of the first
   * @param nextRsvdUlp the first of the user's five octets of the second, the others being 0
   * @param qn Queue Number, one of the stream's
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postTaggedThen(
      long id, int rsvdUlp, StreamRequest request, int nextRsvdUlp, int qn) {
    checkLength(request);
    return sender.postTaggedThen(id, rsvdUlp, request, nextRsvdUlp, qn);
  }

  /**
   * Sends a message to the next buffer of one of the peer's queues. Each piece of memory is cut
   * into segments by itself.
   *
   * @param id comes back when it has been sent
   * @param rsvdUlp the first of the user's five octets
   * @param rsvdUlpRest the other four
   * @param qn Queue Number, one of the stream's
   * @param request says where the message lies, 0 to 2^32-1 octets
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postUntagged(
      long id, int rsvdUlp, int rsvdUlpRest, int qn, StreamRequest request) {
    checkLength(request);
    return sender.postUntagged(id, rsvdUlp, rsvdUlpRest, qn, request);
  }

  /**
   * Sends a message of few octets, which are copied before this returns.
   *
   * @param id comes back when it has been sent
   * @param rsvdUlp the first of the user's five octets
   * @param rsvdUlpRest the other four
   * @param qn Queue Number, one of the stream's
   * @param octets the message, from index 0
   * @param length its octets, 0 to {@link #INLINE}
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postInline(
      long id, int rsvdUlp, int rsvdUlpRest, int qn, byte[] octets, int length) {
    return sender.postInline(id, rsvdUlp, rsvdUlpRest, qn, octets, length);
  }

  /**
   * Has the user do something itself between the messages: {@link UlpHandler#onLocalOperation} when
   * all that was posted before has been handed to TCP, or {@link UlpHandler#onSendFlushed}. It
   * takes a place of the queue, needs no room in TCP's window, and nothing of it is sent.
   *
   * @param id comes back when it has its turn
   * @param rsvdUlp for {@link UlpHandler#mayStart}
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postLocalOperation(long id, int rsvdUlp) {
    return sender.postLocalOperation(id, rsvdUlp);
  }

  /**
   * Sends a Tagged Message in answer to one of the peer's, from a Tagged Buffer of ours: not behind
   * the messages posted before, but between them. {@link UlpHandler#onResponseSent} follows, or
   * {@link UlpHandler#onSourceInvalidated}.
   *
   * @param rsvdUlp the user's octet
   * @param stag the peer's name for where it goes
   * @param to Tagged Offset there of its first octet
   * @param source where it comes from, or null if it has no octets
   * @param sourceTo Tagged Offset there of its first octet; the range has been checked
   * @param length in octets, 0 to 2^32-1
   * @param question the untagged segment that has asked for it; its header is copied
   * @return false, and nothing happens, if too many wait or the stream does not send
   */
  public boolean postResponse(
      int rsvdUlp,
      int stag,
      long to,
      TaggedBuffer source,
      long sourceTo,
      long length,
      Ulpdu question) {
    return sender.postResponse(rsvdUlp, stag, to, source, sourceTo, length, question);
  }

  /**
   * Answers a message of the peer's with a short one that is not known before it is due: {@link
   * UlpHandler#onResponseDue} makes it of what was asked, when all responses posted before have
   * been sent.
   *
   * @param rsvdUlp the first of the user's five octets, the others being 0
   * @param qn Queue Number of the answer, one of the stream's
   * @param question the segment with what was asked, from {@code from} on; it is copied
   * @param octets of it, 0 to {@link #INLINE}
   * @return false, and nothing happens, if too many wait or the stream does not send
   */
  public boolean postDeferredResponse(int rsvdUlp, int qn, Ulpdu question, int from, int octets) {
    return sender.postDeferredResponse(rsvdUlp, qn, question, from, octets);
  }

  /**
   * RDMA Reads of our own that may be outstanding, as both ends agreed; known in Full Operation.
   */
  public int ord() {
    return mpa.ord();
  }

  /** Whether this end has asked for the stream. */
  public boolean initiator() {
    return initiator;
  }

  /** The message that the Initiator's first has to be; null if it may be any. */
  public Rtr rtr() {
    return mpa.rtr();
  }

  /**
   * Sends a Tagged Message without octets before everything that has been posted; only within
   * {@link UlpHandler#onFullOperation}. The user hears nothing more of it.
   */
  public void sendFirst(int rsvdUlp, int stag) {
    sender.sendFirst(rsvdUlp, stag);
  }

  /**
   * Sends an Untagged Message before everything that has been posted, in the same way.
   *
   * @param octets 0 to {@link #INLINE}, which are copied
   */
  public void sendFirst(int rsvdUlp, int qn, byte[] octets) {
    sender.sendFirst(rsvdUlp, qn, octets);
  }

  /**
   * Puts a buffer without octets before all that have been posted, for the peer's first message on
   * a queue; only within {@link UlpHandler#onFullOperation}.
   *
   * @param id comes back with the buffer
   */
  public void expectFirst(int qn, long id) {
    queues.buffered(qn).expectFirst(id);
  }

  /** Octets of segments, headers included, that wait for a buffer to be posted. */
  public long heldOctets() {
    return state.heldOctets();
  }

  /**
   * The last segment of the Untagged Message that is being Delivered, to report what is wrong with
   * it; only within {@link UlpHandler#onUntaggedMessage}.
   */
  public DdpErrorReport deliveredSegment() {
    return state.deliveredSegment();
  }

  /** Gives back a place of a queue whose messages are read in place. */
  public void releasePlace(int qn) {
    queues.inPlace(qn).releasePlace();
  }

  /** The user may have another answer to {@link UlpHandler#mayStart} now. */
  public void resumeSending() {
    sender.wake();
  }

  /** The user may have another answer to {@link UlpHandler#mayDeliverTagged} now. */
  public void resumeReceiving() {
    state.bufferPosted();
  }

  private static void checkLength(StreamRequest request) {
    long length = request.length();
    if (length < 0 || length > MAX_MESSAGE) {
      throw new IllegalArgumentException("a message has 0 to 2^32-1 octets: " + length);
    }
  }

  /**
   * Graceful teardown (RFC 5041 section 6.2.1): nothing more may be posted to be sent; when
   * everything posted has been, our half of the connection is closed. Receiving goes on. A stream
   * that was rejected has nothing to send and closes its half at once; one that is still starting
   * aborts.
   */
  public void close() {
    state.close();
  }

  /**
   * Abortive teardown (RFC 5041 section 6.2.2): flushes everything and resets the connection. No
   * memory of the user is touched once this returns.
   */
  public void abort() {
    state.abort();
  }

  /**
   * The user gives the stream up: everything outstanding is flushed, what arrives from now on is
   * dropped, and one more message may be sent. Closing or aborting it is still to be done.
   */
  public void fail() {
    state.fail();
  }

  /** What MPA tells of the stream. */
  DdpStreamState state() {
    return state;
  }
}
