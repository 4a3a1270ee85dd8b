package org.rddp.ddp;

import java.util.function.LongPredicate;
import org.rddp.ddp.memory.DomainMember;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.receiving.DdpSharedReceiveQueue;
import org.rddp.ddp.receiving.EarlySegmentHeaders;
import org.rddp.ddp.receiving.HeldSegments;
import org.rddp.ddp.receiving.Placement;
import org.rddp.ddp.receiving.UntaggedQueues;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.sending.DdpSender;
import org.rddp.ddp.sending.OutgoingMessage;
import org.rddp.mpa.FpduObserver;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;

/**
 * One DDP Stream over one MPA connection (RFC 5041 section 6): sends and receives messages, and
 * closes.
 *
 * <p>Everything posted is returned exactly once: sent, Delivered or flushed. A stream that fails
 * reports the error and stays open until its user closes or aborts it. Engine thread only.
 */
public final class DdpStream extends DomainMember {
  /** Octets of the longest ULP message (RFC 5041 section 5.2). */
  public static final long MAX_MESSAGE = 0xffff_ffffL;

  /** The most octets that {@link #postInline} takes. */
  public static final int INLINE = OutgoingMessage.INLINE;

  private final UntaggedQueues queues;
  private final DdpSender sender;
  private final DdpStreamState state;

  /**
   * Creates a stream, for {@link org.rddp.mpa.MpaStartup} to begin. Its user may post before that.
   *
   * @param domain the domain whose STags the peer may use
   */
  public DdpStream(
      DdpEngine engine, ProtectionDomain domain, DdpSettings settings, UlpHandler user) {
    super(domain);
    queues = new UntaggedQueues(settings.queues(), settings.queueMemory());
    sender =
        new DdpSender(
            engine.sendScheduler(),
            user,
            settings.sendDepth(),
            settings.responseDepth(),
            settings.queues().size(),
            settings.queueMemory());
    Placement placement = new Placement(this, engine.taggedBuffers(), queues);
    HeldSegments held =
        new HeldSegments(settings.heldOctets(), engine.heldMemory(), settings.heldShare());
    EarlySegmentHeaders early = new EarlySegmentHeaders(engine.earlyRoom());
    state =
        new DdpStreamState(user, engine.receiveCounters(), queues, sender, placement, early, held);
  }

  /** Tells an observer of every FPDU from now on; null: nobody. */
  public void observe(FpduObserver observer) {
    state.observe(observer);
  }

  /** What MPA calls. */
  public UlpduHandler upcalls() {
    return state;
  }

  /**
   * Takes the buffers of a queue from a shared one, before the stream begins and before a buffer is
   * posted.
   */
  public void shareReceives(int qn, DdpSharedReceiveQueue from) {
    queues.share(qn, from);
  }

  /**
   * Whether messages may be posted: the stream has not been closed and has not failed; after a
   * failure one last message may be posted.
   */
  public boolean acceptsMessages() {
    return sender.acceptsMessages();
  }

  /** The send queue, for a user that has checked the length of its messages itself. */
  public DdpSender sender() {
    return sender;
  }

  /** Whether buffers may be posted: the stream has not failed. */
  public boolean acceptsBuffers() {
    return state.acceptsBuffers();
  }

  /**
   * Whether there is no buffer for the peer's next message on that queue, which must be one of
   * posted buffers.
   */
  public boolean lacksBuffer(int qn) {
    return queues.buffered(qn).lacksBuffer();
  }

  /**
   * Touches the cache lines that a message needs which is posted; the result only keeps the JIT
   * from removing the loads.
   */
  public int prefetch() {
    return sender.prefetch() + state.prefetch();
  }

  /** Prefetches what sending the message needs, once {@link #prefetch} has been called. */
  public int prefetchSending() {
    return sender.prefetchMessage() + state.prefetchSending();
  }

  /**
   * Appends a buffer to a queue; the peer's next message on that queue goes to the first one. What
   * has waited for it is taken within this call.
   *
   * @param qn Queue Number, one of the stream's
   * @param request says where the message goes; its token comes back with the buffer
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
   * @param token comes back when it has been sent
   * @param rsvdUlp the user's octet
   * @param request says where the message lies, 0 to 2^32-1 octets, and where at the peer it goes
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postTagged(long token, int rsvdUlp, StreamRequest request) {
    checkLength(request);
    return sender.postTagged(token, rsvdUlp, request);
  }

  /**
   * Sends a message to the next buffer of one of the peer's queues. Each piece of memory is cut
   * into segments by itself.
   *
   * @param token comes back when it has been sent
   * @param rsvdUlp the first of the user's five octets
   * @param rsvdUlpRest the other four
   * @param qn Queue Number, one of the stream's
   * @param request says where the message lies, 0 to 2^32-1 octets
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postUntagged(
      long token, int rsvdUlp, int rsvdUlpRest, int qn, StreamRequest request) {
    checkLength(request);
    return sender.postUntagged(token, rsvdUlp, rsvdUlpRest, qn, request);
  }

  /**
   * Sends a message of few octets, which are copied before this returns.
   *
   * @param token comes back when it has been sent
   * @param rsvdUlp the first of the user's five octets
   * @param rsvdUlpRest the other four
   * @param qn Queue Number, one of the stream's
   * @param octets the message, from index 0
   * @param length its octets, 0 to {@link #INLINE}
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postInline(
      long token, int rsvdUlp, int rsvdUlpRest, int qn, byte[] octets, int length) {
    return sender.postInline(token, rsvdUlp, rsvdUlpRest, qn, octets, length);
  }

  /**
   * Has the user do something itself between the messages: {@link UlpHandler#onLocalOperation} when
   * all that was posted before has been handed to TCP, or {@link UlpHandler#onSendFlushed}. It
   * takes a place of the queue, needs no room in TCP's window, and nothing of it is sent.
   *
   * @param token comes back when it has its turn
   * @param rsvdUlp for {@link UlpHandler#mayStart}
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postLocalOperation(long token, int rsvdUlp) {
    return sender.postLocalOperation(token, rsvdUlp);
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

  /** Whether what is posted waits for the Initiator's first message (RFC 5044 section 7.1.2). */
  public boolean awaitsFirstMessage() {
    return state.awaitsFirstFpdu();
  }

  /**
   * Sends an empty Tagged Message before everything posted; only within {@link
   * UlpHandler#onFullOperation}. Its end is not reported.
   */
  public void sendFirst(int rsvdUlp, int stag) {
    sender.sendFirst(rsvdUlp, stag);
  }

  /**
   * Sends an Untagged Message before everything posted; only within {@link
   * UlpHandler#onFullOperation}. Its end is not reported.
   *
   * @param octets 0 to {@link #INLINE}, which are copied
   */
  public void sendFirst(int rsvdUlp, int qn, byte[] octets) {
    sender.sendFirst(rsvdUlp, qn, octets);
  }

  /**
   * Puts an empty buffer before all posted ones, for the peer's first message on a queue; only
   * within {@link UlpHandler#onFullOperation}.
   *
   * @param token comes back with the buffer
   */
  public void expectFirst(int qn, long token) {
    queues.buffered(qn).expectFirst(token);
  }

  /** Takes back the buffer of {@link #expectFirst}: the peer's first message was another. */
  public void expectFirstNoMore(int qn) {
    queues.buffered(qn).expectFirstNoMore();
  }

  /** Octets of held segments, headers included. */
  public long heldOctets() {
    return state.heldOctets();
  }

  /**
   * Reports the last segment of the Untagged Message that is being Delivered, for an error in it;
   * only within {@link UlpHandler#onUntaggedMessage}.
   */
  public DdpErrorReport deliveredSegment() {
    return state.deliveredSegment();
  }

  /**
   * Takes memory away from posted buffers and messages: when this returns, nothing more is placed
   * into it or read from it. The requests stay in their queues. When one has its turn and needs the
   * memory, {@link UlpHandler#onSendRevoked} follows, or the stream fails and {@link
   * UlpHandler#onReceiveRevoked} follows.
   *
   * @param receives which buffers, by their tokens
   * @param messages which messages, by their tokens
   */
  public void revoke(LongPredicate receives, LongPredicate messages) {
    queues.revoke(receives);
    sender.revoke(messages);
  }

  /** Releases a place of a queue whose messages are read in place. */
  public void releasePlace(int qn) {
    queues.inPlace(qn).releasePlace();
  }

  /** The result of {@link UlpHandler#mayStart} may have changed: asks again. */
  public void resumeSending() {
    sender.wake();
  }

  /** The result of {@link UlpHandler#mayDeliverTagged} may have changed: asks again. */
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
   * Graceful teardown (RFC 5041 section 6.2.1): no more messages may be posted; when all posted
   * ones have been sent, our half of the connection is closed. Receiving goes on. One that has not
   * begun flushes everything within this call.
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
   * Fails the stream on behalf of the user: flushes everything outstanding, drops everything
   * received from now on, and allows one more message unless our half has been closed. The user
   * must still close or abort the stream.
   */
  public void fail() {
    state.fail();
  }
}
