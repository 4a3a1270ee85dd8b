package org.rddp.ddp.sending;

import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.segment.MessageSequence;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;

/**
 * Sends the messages of a stream in the order in which they were posted, cut into segments of at
 * most MULPDU octets (RFC 5041 section 5.2). A segment is cut when MPA takes it, so it has the
 * MULPDU of that moment, and no segment waits in a layer below.
 */
public final class DdpSender {
  /** The token of no message. */
  public static final long NONE = -1;

  /** The next in the {@link SenderQueue}; used only by that. */
  DdpSender next;

  private SendScheduler scheduler;
  private final SendCounters counters;
  private final SendHandler user;
  private final OutgoingQueues queues;
  private final MessageSequence[] sequences;

  /** Null unless the user is told of acknowledgments. */
  private final SentMessages sentMessages;

  private MpaConnection mpa;
  private int version;
  private int ulpBits;
  private boolean isScheduled;
  private boolean isBacklogged;
  private int postsLeft = Integer.MAX_VALUE;
  private boolean closing;

  /** Whether it counts for its tenant, if it has one: between its start and its end. */
  private boolean begun;

  /**
   * Creates the sender of one stream.
   *
   * @param sendDepth the most messages queued, 1 to 2^24
   * @param responseDepth the most responses queued, 1 to 2^24
   * @param peerQueues number of the peer's queues for Untagged Messages
   * @param memory the bound that counts the messages' entries; null for none
   * @param acknowledged whether the user is told when messages have been acknowledged
   */
  public DdpSender(
      SendScheduler scheduler,
      SendHandler user,
      int sendDepth,
      int responseDepth,
      int peerQueues,
      QueueMemory memory,
      boolean acknowledged) {
    this.scheduler = scheduler;
    this.counters = scheduler.counters();
    this.user = user;
    queues = new OutgoingQueues(user, sendDepth, responseDepth, memory);
    sentMessages = acknowledged ? new SentMessages(user, memory) : null;
    sequences = new MessageSequence[peerQueues];
    for (int qn = 0; qn < sequences.length; qn++) {
      sequences[qn] = new MessageSequence(MessageSequence.FIRST); // DDP-4.3-07
    }
  }

  /**
   * Starts sending, when Full Operation has begun.
   *
   * @param ulpBits bits to set in the user's octet of every message, in addition to the posted ones
   */
  public void start(MpaConnection mpa, int version, int ulpBits) {
    this.mpa = mpa;
    this.version = version;
    this.ulpBits = ulpBits;
    begun = true;
    countForTenant();
    wake();
  }

  /** Sends as a tenant of the engine. Call before anything is posted, and before the start. */
  public void sendAs(SendTenant tenant) {
    scheduler = tenant.scheduler();
  }

  /** The scheduler of its tenant, or of all streams. */
  SendScheduler scheduler() {
    return scheduler;
  }

  /** Counts for its tenant. */
  private void countForTenant() {
    SendTenant tenant = scheduler.tenant();
    if (tenant != null && mpa != null) {
      mpa.countTo(tenant.sent());
    }
    if (tenant != null && begun) {
      tenant.streamBegins();
    }
  }

  /** Counts for its tenant no longer. */
  private void end() {
    if (scheduler.tenant() != null && begun) {
      scheduler.tenant().streamEnds();
    }
    begun = false;
  }

  /** Whether messages may still be posted. */
  public boolean acceptsMessages() {
    return postsLeft > 0;
  }

  /**
   * Whether our half is open: not closed yet, though it may be about to close after waiting
   * messages.
   */
  public boolean isOpen() {
    return closing || postsLeft > 0;
  }

  /**
   * Appends a Tagged Message.
   *
   * @param token comes back when it has been sent
   * @param rsvdUlp the user's octet
   * @param request says where the message lies, 0 to 2^32-1 octets, and where at the peer it goes
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postTagged(long token, int rsvdUlp, StreamRequest request) {
    if (!mayPost()) {
      return false;
    }
    addTagged(token, rsvdUlp, request);
    wake();
    return true;
  }

  /**
   * Appends a Tagged Message and, directly behind it, the request's immediate data as an Untagged
   * Message of eight octets in network order. {@link SendHandler#onSent} follows for the two
   * together, with the octet and the length of the second.
   *
   * @param nextRsvdUlp the first of the user's five octets of the second, the others being 0
   * @param qn Queue Number of the second, one of the stream's
   */
  public boolean postTaggedThen(
      long token, int rsvdUlp, StreamRequest request, int nextRsvdUlp, int qn) {
    if (!mayPost()) {
      return false;
    }
    addTagged(token, rsvdUlp, request)
        .followedBy(nextRsvdUlp, qn, sequences[qn].take(), request.immediate());
    wake();
    return true;
  }

  private OutgoingMessage addTagged(long token, int rsvdUlp, StreamRequest request) {
    // RDMAP-5.1-03; DDP-5.3-01: "MUST transmit DDP Messages in the order they were submitted to the
    // DDP layer"
    OutgoingMessage message = queues.addMessage();
    message.tagged(token, rsvdUlp, request.remoteStag(), request.remoteTo());
    message.memory(request.message());
    return message;
  }

  /**
   * Appends an Untagged Message.
   *
   * @param rsvdUlp the first of the user's five octets
   * @param rsvdUlpRest the other four
   * @param qn Queue Number, one of the stream's
   */
  public boolean postUntagged(
      long token, int rsvdUlp, int rsvdUlpRest, int qn, StreamRequest request) {
    if (!mayPost()) {
      return false;
    }
    OutgoingMessage message = queues.addMessage(); // DDP-5.3-01, RDMAP-5.3-05
    message.untagged(token, rsvdUlp, rsvdUlpRest, qn, sequences[qn].take()); // DDP-4.3-06
    message.memory(request.message());
    wake();
    return true;
  }

  /**
   * Sends a message of few octets, which are copied before this returns.
   *
   * @param token comes back when it has been sent
   * @param rsvdUlp the first of the user's five octets
   * @param rsvdUlpRest the other four
   * @param qn Queue Number, one of the stream's
   * @param octets the message, from index 0
   * @param length its octets, 0 to {@link OutgoingMessage#INLINE}
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postInline(
      long token, int rsvdUlp, int rsvdUlpRest, int qn, byte[] octets, int length) {
    if (!mayPost()) {
      return false;
    }
    queues
        .addMessage()
        .inline(token, rsvdUlp, rsvdUlpRest, qn, sequences[qn].take(), octets, length);
    wake();
    return true;
  }

  /**
   * Posts a local operation, which the user runs between messages: {@link
   * SendHandler#onLocalOperation} follows when everything posted before has been handed to TCP, or
   * {@link SendHandler#onSendFlushed}. It takes a place in the queue, needs no room in TCP's
   * window, and sends nothing.
   *
   * @param token comes back when its turn comes
   * @param rsvdUlp for {@link SendHandler#mayStart}
   * @return false, and nothing happens, if the queue is full or the stream does not send
   */
  public boolean postLocalOperation(long token, int rsvdUlp) {
    if (!mayPost()) {
      return false;
    }
    queues.addMessage().localOperation(token, rsvdUlp);
    wake();
    return true;
  }

  /**
   * Sends an empty Tagged Message before everything posted; call only within {@link
   * org.rddp.ddp.UlpHandler#onFullOperation}. Its end is not reported.
   */
  public void sendFirst(int rsvdUlp, int stag) {
    queues.addInitialMessage().tagged(0, rsvdUlp, stag, 0);
    wake();
  }

  /**
   * Sends an Untagged Message before everything posted; call only within {@link
   * org.rddp.ddp.UlpHandler#onFullOperation}. Its end is not reported.
   *
   * @param octets 0 to {@link OutgoingMessage#INLINE}, which are copied
   */
  public void sendFirst(int rsvdUlp, int qn, byte[] octets) {
    queues.renumber(qn);
    sequences[qn].take();
    queues
        .addInitialMessage()
        .inline(0, rsvdUlp, 0, qn, MessageSequence.FIRST, octets, octets.length);
    wake();
  }

  /**
   * Touches the cache lines that a post needs; the result only keeps the JIT from removing the
   * loads.
   */
  public int prefetch() {
    return postsLeft + version + (queues.hasMore() ? 1 : 0);
  }

  /** Prefetches the message itself, once {@link #prefetch} has been called. */
  public int prefetchMessage() {
    return queues.prefetch();
  }

  private boolean mayPost() {
    // DDP-6.2.1-02: "any further data transfer requests by the Local Peer ULP MUST return an error"
    if (postsLeft == 0 || !queues.hasRoomForMessage()) {
      return false;
    }
    if (postsLeft < Integer.MAX_VALUE) {
      postsLeft--;
    }
    return true;
  }

  /**
   * Sends a Tagged Message from a Tagged Buffer of ours in answer to a message of the peer. It does
   * not wait for messages posted before, but is sent between them. {@link
   * SendHandler#onResponseSent} follows, or {@link SendHandler#onSourceInvalidated}.
   *
   * @param rsvdUlp the user's octet
   * @param stag the peer's STag that it goes to
   * @param to Tagged Offset of its first octet at the peer
   * @param source the buffer that it comes from, or null if it has no octets
   * @param sourceTo Tagged Offset of its first octet in that buffer; the range must have been
   *     checked
   * @param length in octets, 0 to 2^32-1
   * @param question the untagged segment that requested it; its header is copied
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
    if (!mayRespond()) {
      return false;
    }
    queues.addResponse().response(rsvdUlp, stag, to, source, sourceTo, length, question);
    wake();
    return true;
  }

  /**
   * Answers a message of the peer with a short one whose octets are not known yet: {@link
   * SendHandler#onResponseDue} makes them from the request when all responses posted before have
   * been sent.
   *
   * @param rsvdUlp the first of the user's five octets, the others being 0
   * @param qn Queue Number of the answer, one of the stream's
   * @param question the segment with the request, from {@code from} on; the request is copied
   * @param octets of it, 0 to {@link OutgoingMessage#INLINE}
   * @return false, and nothing happens, if too many wait or the stream does not send
   */
  public boolean postDeferredResponse(int rsvdUlp, int qn, Ulpdu question, int from, int octets) {
    if (!mayRespond()) {
      return false;
    }
    queues
        .addResponse()
        .deferredResponse(rsvdUlp, qn, sequences[qn].take(), question, from, octets);
    wake();
    return true;
  }

  /**
   * Whether responses may be sent: until our half is closed, since both ends may wait for some when
   * they close.
   */
  private boolean mayRespond() {
    return (closing || postsLeft == Integer.MAX_VALUE) && queues.hasRoomForResponse();
  }

  /**
   * Schedules the stream. Call when it has something to send, MPA takes segments again, or the
   * result of {@link SendHandler#mayStart} may have changed.
   */
  public void wake() {
    if (mpa != null && !isScheduled && (closing || !queues.isEmpty())) {
      isScheduled = true;
      scheduler.add(this);
    }
  }

  /** Notes that it waits in a queue of the scheduler; false if it does already. */
  boolean schedule() {
    boolean isFirst = !isScheduled;
    isScheduled = true;
    return isFirst;
  }

  /**
   * Sends segments, at most {@code share}, until their payload is {@code quantum} octets or more,
   * and then those that leave together with the last one: up to {@link
   * SendScheduler#JOINED_QUANTUM}, or {@link SendScheduler#FRAME} if the quantum is more.
   *
   * @return how many
   */
  int sendShare(int share, int quantum) {
    long enough = counters.octets + quantum;
    long most =
        counters.octets + Math.clamp(quantum, SendScheduler.JOINED_QUANTUM, SendScheduler.FRAME);
    int sent = 0;
    boolean taken = true;
    // Asks whether TCP can send only if there is something to send: after a lone message the
    // question cost more than its header.
    while (taken
        && ((sent < share && counters.octets < enough) || joinsLast(most))
        && !queues.isEmpty()
        // RDMAP-5.5-09: "until it has been successfully completed at the DDP layer"
        && mpa.sendable()) {
      OutgoingMessage message = queues.current();
      if (message == null) {
        taken = false;
      } else if (isSendable(message)) {
        taken = sendSegment(message);
        sent += taken ? 1 : 0;
      }
    }
    queues.runLocalOperations();
    isScheduled = false;
    isBacklogged = !queues.isEmpty();
    if (queues.isEmpty()) {
      closeIfAsked();
    } else if (sent >= share || counters.octets >= enough) {
      wake();
    }
    return sent;
  }

  /** Whether a segment would leave together with the last one, and not exceed this. */
  private boolean joinsLast(long most) {
    return counters.octets + mpa.fullMulpdu() <= most && mpa.joinsLast();
  }

  /** Whether {@link #sendShare} left something unsent the last time. */
  boolean isBacklogged() {
    return isBacklogged;
  }

  /** Whether something can be sent now. */
  boolean canSend() {
    return mpa.sendable() && queues.maySend();
  }

  /** Whether the message can be sent; drops a response that cannot, and tells the user. */
  private boolean isSendable(OutgoingMessage message) {
    if (message.sourceIsGone()) {
      dropCurrent(message);
      return false;
    }
    if (message.isDeferred()) {
      int octets = user.onResponseDue(message.requestOctets()); // RDMAPX-5.4-02
      if (octets < 0) {
        DdpErrorReport asked = message.requestReport();
        queues.dropCurrent();
        user.onResponseRefused(asked);
        return false;
      }
      message.setResponseLength(octets);
    }
    return true;
  }

  /** Drops the current message, whose source is gone, and tells the user. */
  private void dropCurrent(OutgoingMessage message) {
    if (message.isRevoked()) {
      queues.dropCurrent();
      user.onSendRevoked(message.token(), message.rsvdUlp());
    } else {
      UnsentResponse unsent = message.unsent();
      queues.dropCurrent();
      user.onSourceInvalidated(unsent);
    }
  }

  private boolean sendSegment(OutgoingMessage message) {
    int payload = nextPayload(message);
    if (!passToMpa(message, payload)) {
      return false;
    }
    counters.segments++;
    counters.octets += payload;
    if (message.sent(payload)) { // DDP-5.4-01, RDMAP-5.5-09
      if (sentMessages != null && queues.currentIsPosted()) {
        sentMessages.add(message, mpa.sendPosition());
        mpa.awaitAcknowledgment();
      }
      queues.completeCurrent();
    }
    return true;
  }

  /**
   * Octets of payload in the next segment. With packing, it fills the TCP segment being packed if
   * the message then needs no additional segment, or if other segments can then leave in the same
   * frame; otherwise it has full size and begins a new one.
   */
  private int nextPayload(OutgoingMessage message) {
    // MPA-3-03: "DDP SHOULD limit each record size to MULPDU"; so do DDP-5.2-01 and MPAB-1-03.
    // MPA-4.5-05: "as large as possible, but less than or equal to MULPDU"; MPAA-2-01. MULPDU is
    // asked for anew (DDP-3-01); DDP-3-02: "MUST NOT be required by the LLP to re-segment".
    int full = message.nextPayload(mpa.fullMulpdu());
    int fitting = message.nextPayload(mpa.mulpdu()); // MPA-4.5-04, MPAA-2-02
    boolean fills = fitting < full && (message.lastPayload(full) <= fitting || mpa.joinsLast());
    return fills ? fitting : full;
  }

  private boolean passToMpa(OutgoingMessage message, int payload) {
    long header = scheduler.header();
    int headerLength = message.headerLength();
    message.writeHeader(header, version, ulpBits, payload);
    boolean more = !message.endsWith(payload) || queues.hasMore();
    if (message.inMemory()) {
      return mpa.send(header, headerLength, message.nextAddress(), payload, more);
    }
    message.writeInline(header + headerLength);
    return mpa.send(header, headerLength + payload, 0, 0, more);
  }

  /** The peer may have acknowledged messages: tells the user, if it wants to know. */
  public void takeAcknowledged() {
    if (sentMessages != null && mpa != null) {
      sentMessages.acknowledged(mpa.acknowledged());
      if (!sentMessages.isEmpty()) {
        mpa.awaitAcknowledgment();
      }
    }
  }

  /**
   * The token of the message whose segment for a place in a buffer of the peer has an error: one
   * that is not acknowledged, or not sent in full. If several have octets for the place, it is the
   * first. {@link #NONE} if there is none.
   */
  public long findTagged(int stag, long to) {
    return find(name -> name.isFor(stag, to));
  }

  /** The token of the message with a number on a queue of the peer, as {@link #findTagged}. */
  public long findUntagged(int qn, int msn) {
    return find(name -> name.isUntagged(qn, msn));
  }

  /** The token of the first message that is not acknowledged, or not sent in full. */
  public long findFirst() {
    return find(name -> true);
  }

  private long find(Predicate<MessageName> named) {
    long sent = sentMessages == null ? NONE : sentMessages.find(named);
    OutgoingMessage current = sent == NONE ? queues.postedCurrent() : null;
    if (current == null) {
      return sent;
    }
    MessageName name = new MessageName();
    current.name(name);
    return named.test(name) ? current.token() : NONE;
  }

  /** The peer has every message posted before that with a token: tells the user, as if TCP had. */
  public void takeAcknowledgedBefore(long token) {
    if (sentMessages != null) {
      sentMessages.acknowledgedBefore(token);
    }
  }

  /** Takes no more posts; once everything posted has been sent, MPA closes our half. */
  public void close() {
    postsLeft = 0;
    closing = true;
    wake();
  }

  /** Resets the connection after an internal error. */
  void abort() {
    mpa.abort();
  }

  private void closeIfAsked() {
    if (closing) {
      closing = false;
      postsLeft = 0;
      // DDP-3-12, DDP-6.2.1-01, RDMAP-6.2-01; DDP-6.2.1-05: "graceful close of the other half of
      // the LLP Stream"
      mpa.closeSend();
    }
  }

  /**
   * Returns everything that has not been sent, or not acknowledged where the user is told of that,
   * and takes nothing more.
   */
  public void flush() {
    end();
    postsLeft = 0;
    if (sentMessages != null) {
      sentMessages.flush();
    }
    queues.flush(); // DDP-3-03, DDP-6.2.2-02, RDMAP-5.4-06
    isBacklogged = false;
    // A close that waited for the flushed messages happens now.
    wake();
  }

  /** Revokes the memory of posted messages, by their tokens. */
  public void revoke(LongPredicate tokens) {
    queues.revoke(tokens);
  }

  /** Accepts {@code posts} more messages, with which the user ends the stream. */
  public void allowPosts(int posts) {
    postsLeft = posts; // DDP-7.1-19
  }

  /**
   * Transfers its state, but for its place among the streams that wait to send.
   *
   * @param connection of the stream, when read; null if it has not started
   */
  public void transfer(Snapshot snapshot, MpaConnection connection, DdpReferences references) {
    snapshot.begin(DdpSender.class);
    queues.transfer(snapshot, references);
    for (MessageSequence each : sequences) {
      each.transfer(snapshot);
    }
    if (sentMessages != null) {
      sentMessages.transfer(snapshot);
    }
    version = snapshot.number("version", version);
    ulpBits = snapshot.number("ulpBits", ulpBits);
    isBacklogged = snapshot.flag("isBacklogged", isBacklogged);
    postsLeft = snapshot.number("postsLeft", postsLeft);
    closing = snapshot.flag("closing", closing);
    begun = snapshot.flag("begun", begun);
    if (snapshot.reads()) {
      mpa = connection;
      if (isScheduled && mpa == null) {
        throw snapshot.wrong("a stream waits to send, and has no connection");
      }
      countForTenant();
    }
    snapshot.end();
  }
}
