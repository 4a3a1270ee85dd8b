package org.rddp.ddp.sending;

import org.rddp.ddp.memory.DdpScatterList;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.segment.MessageSequence;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.Ulpdu;

/**
 * Sends messages in the order in which they were posted, cut into segments of at most MULPDU octets
 * (RFC 5041 section 5.2). It cuts a segment when MPA takes it and not before: so each is cut to the
 * MULPDU of its moment, and nothing waits below.
 */
public final class DdpSender {
  /** The next in the {@link SenderQueue}; that class's own. */
  DdpSender next;

  private final SendScheduler scheduler;
  private final SendCounters counters;
  private final SendHandler user;
  private final OutgoingQueues queues;
  private final MessageSequence[] sequences;
  private MpaConnection mpa;
  private int version;
  private int ulpBits;
  private boolean isScheduled;
  private boolean isBacklogged;
  private int postsLeft = Integer.MAX_VALUE;
  private boolean closing;

  /**
   * Creates the sender of one stream.
   *
   * @param sendDepth the most messages queued, 1 to 2^24
   * @param responseDepth the most responses queued, 1 to 2^24
   * @param peerQueues number of the peer's queues for Untagged Messages
   */
  public DdpSender(
      SendScheduler scheduler, SendHandler user, int sendDepth, int responseDepth, int peerQueues) {
    this.scheduler = scheduler;
    this.counters = scheduler.counters();
    this.user = user;
    queues = new OutgoingQueues(user, sendDepth, responseDepth);
    sequences = new MessageSequence[peerQueues];
    for (int qn = 0; qn < sequences.length; qn++) {
      sequences[qn] = new MessageSequence(MessageSequence.FIRST);
    }
  }

  /**
   * Full Operation has begun: messages may leave.
   *
   * @param ulpBits bits of the user's octet of every message, besides those that are posted
   */
  public void start(MpaConnection mpa, int version, int ulpBits) {
    this.mpa = mpa;
    this.version = version;
    this.ulpBits = ulpBits;
    wake();
  }

  /** Whether messages may still be posted. */
  public boolean acceptsMessages() {
    return postsLeft > 0;
  }

  /** Appends a Tagged Message; false, and nothing happens, if it may not be posted now. */
  public boolean postTagged(long id, int rsvdUlp, int stag, long to, long address, long length) {
    if (!mayPost()) {
      return false;
    }
    queues.addMessage().tagged(id, rsvdUlp, stag, to, address, length);
    wake();
    return true;
  }

  /** Appends a Tagged Message and, as one with it, an Untagged Message of eight octets. */
  public boolean postTaggedThen(
      long id,
      int rsvdUlp,
      int stag,
      long to,
      long address,
      long length,
      int nextRsvdUlp,
      int qn,
      long octets) {
    if (!mayPost()) {
      return false;
    }
    OutgoingMessage message = queues.addMessage();
    message.tagged(id, rsvdUlp, stag, to, address, length);
    message.followedBy(nextRsvdUlp, qn, sequences[qn].take(), octets);
    wake();
    return true;
  }

  /** Appends a Tagged Message in pieces. */
  public boolean postTagged(long id, int rsvdUlp, int stag, long to, DdpScatterList list) {
    if (!mayPost()) {
      return false;
    }
    OutgoingMessage message = queues.addMessage();
    message.tagged(id, rsvdUlp, stag, to, 0, list.length());
    message.from(list);
    wake();
    return true;
  }

  /** Appends an Untagged Message in pieces. */
  public boolean postUntagged(long id, int rsvdUlp, int rsvdUlpRest, int qn, DdpScatterList list) {
    if (!mayPost()) {
      return false;
    }
    OutgoingMessage message = queues.addMessage();
    message.untagged(id, rsvdUlp, rsvdUlpRest, qn, sequences[qn].take(), 0, list.length());
    message.from(list);
    wake();
    return true;
  }

  /** Appends an Untagged Message; false, and nothing happens, if it may not be posted now. */
  public boolean postUntagged(
      long id, int rsvdUlp, int rsvdUlpRest, int qn, long address, long length) {
    if (!mayPost()) {
      return false;
    }
    queues
        .addMessage()
        .untagged(id, rsvdUlp, rsvdUlpRest, qn, sequences[qn].take(), address, length);
    wake();
    return true;
  }

  /** The same for a message of few octets, which are copied. */
  public boolean postInline(
      long id, int rsvdUlp, int rsvdUlpRest, int qn, byte[] octets, int length) {
    if (!mayPost()) {
      return false;
    }
    queues.addMessage().inline(id, rsvdUlp, rsvdUlpRest, qn, sequences[qn].take(), octets, length);
    wake();
    return true;
  }

  /** The same with the first message in pieces. */
  public boolean postTaggedThen(
      long id,
      int rsvdUlp,
      int stag,
      long to,
      DdpScatterList list,
      int nextRsvdUlp,
      int qn,
      long octets) {
    boolean posted =
        postTaggedThen(id, rsvdUlp, stag, to, 0, list.length(), nextRsvdUlp, qn, octets);
    if (posted) {
      queues.lastMessage().from(list);
    }
    return posted;
  }

  /** Appends something that the user does itself; false, and nothing happens, if it may not be. */
  public boolean postLocalOperation(long id, int rsvdUlp) {
    if (!mayPost()) {
      return false;
    }
    queues.addMessage().localOperation(id, rsvdUlp);
    wake();
    return true;
  }

  /** Puts a Tagged Message without octets before everything posted. */
  public void sendFirst(int rsvdUlp, int stag) {
    queues.addInitialMessage().tagged(0, rsvdUlp, stag, 0, 0, 0);
    wake();
  }

  /** Puts an Untagged Message of few octets before everything posted. */
  public void sendFirst(int rsvdUlp, int qn, byte[] octets) {
    queues.renumber(qn);
    sequences[qn].take();
    queues
        .addInitialMessage()
        .inline(0, rsvdUlp, 0, qn, MessageSequence.FIRST, octets, octets.length);
    wake();
  }

  private boolean mayPost() {
    if (postsLeft == 0 || !queues.hasRoomForMessage()) {
      return false;
    }
    if (postsLeft < Integer.MAX_VALUE) {
      postsLeft--;
    }
    return true;
  }

  /** Appends a response; false, and nothing happens, if it may not be posted now. */
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

  /** Appends a response that the user makes of a question when it is due. */
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
   * A half that is to be closed answers until it is: both ends may wait for answers when they
   * close.
   */
  private boolean mayRespond() {
    return (closing || postsLeft == Integer.MAX_VALUE) && queues.hasRoomForResponse();
  }

  /** There is something to send, or MPA takes something again. */
  public void wake() {
    if (mpa != null && !isScheduled && (closing || !queues.isEmpty())) {
      isScheduled = true;
      scheduler.add(this);
    }
  }

  /**
   * This stream's turn in the round: sends segments, at most {@code share}, until their payload is
   * {@code quantum} octets or more; returns how many.
   */
  int sendShare(int share, int quantum) {
    long enough = counters.octets + quantum;
    int sent = 0;
    boolean taken = true;
    while (taken && sent < share && counters.octets < enough && mpa.sendable()) {
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
    } else if (sent == share || counters.octets >= enough) {
      wake();
    }
    return sent;
  }

  /** Whether more waited when its last turn ended than it could send. */
  boolean isBacklogged() {
    return isBacklogged;
  }

  /** Whether something waits that may leave now. */
  boolean canSend() {
    return mpa.sendable() && queues.maySend();
  }

  /** Whether a response can still be given; if not, it is gone and the user knows. */
  private boolean isSendable(OutgoingMessage message) {
    if (message.sourceIsGone()) {
      UnsentResponse unsent = message.unsent();
      queues.dropCurrent();
      user.onSourceInvalidated(unsent);
      return false;
    }
    if (message.isDeferred()) {
      int octets = user.onResponseDue(message.requestOctets());
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

  private boolean sendSegment(OutgoingMessage message) {
    int payload = nextPayload(message);
    if (!pass(message, payload)) {
      return false;
    }
    counters.segments++;
    counters.octets += payload;
    if (message.sent(payload)) {
      queues.completeCurrent();
    }
    return true;
  }

  /**
   * A segment begins where the one being packed has no room for the message, unless the message
   * needs no segment more when its first octets go there.
   */
  private int nextPayload(OutgoingMessage message) {
    int full = message.nextPayload(mpa.fullMulpdu());
    int fitting = message.nextPayload(mpa.mulpdu());
    return fitting < full && message.lastPayload(full) <= fitting ? fitting : full;
  }

  private boolean pass(OutgoingMessage message, int payload) {
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

  /** Takes no more posts; once everything posted has been sent, MPA closes our half. */
  public void close() {
    postsLeft = 0;
    closing = true;
    wake();
  }

  /** Resets the connection: the stream cannot go on. */
  void abort() {
    mpa.abort();
  }

  private void closeIfAsked() {
    if (closing) {
      closing = false;
      mpa.closeSend();
    }
  }

  /** Gives back everything that has not been sent, and takes nothing more. */
  public void flush() {
    postsLeft = 0;
    queues.flush();
    isBacklogged = false;
    // A close that waited for what is gone now waits no longer.
    wake();
  }

  /** Takes so many messages more: what the user posts to end the stream. */
  public void allowPosts(int posts) {
    postsLeft = posts;
  }
}
