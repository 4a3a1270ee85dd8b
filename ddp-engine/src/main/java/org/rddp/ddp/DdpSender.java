package org.rddp.ddp;

import org.rddp.mpa.MpaConnection;

/**
 * Sends messages in the order in which they were posted, cut into segments of at most MULPDU octets
 * (RFC 5041 section 5.2). It cuts a segment when MPA takes it and not before: so each is cut to the
 * MULPDU of its moment, and nothing waits below.
 *
 * <p>Responses wait in a line of their own: they go out between the messages, one after each as
 * long as there are both.
 */
final class DdpSender {
  /** The next in the {@link SendRound}; that class's own. */
  DdpSender next;

  private final SendRound round;
  private final TaggedBuffers taggedBuffers;
  private final DdpCounters counters;
  private final UlpHandler user;
  private final Ring<OutgoingMessage> messages;
  private final Ring<OutgoingMessage> responses;
  private final MessageSequence[] sequences;

  /** The ring whose first entry is being sent; null between messages. */
  private Ring<OutgoingMessage> current;

  private boolean responseWasLast;
  private MpaConnection mpa;
  private int version;
  private boolean inRound;
  private int postsLeft = Integer.MAX_VALUE;
  private boolean closing;

  DdpSender(DdpEngine engine, UlpHandler user, DdpSettings settings) {
    this.round = engine.sendRound();
    this.taggedBuffers = engine.taggedBuffers();
    this.counters = engine.counters();
    this.user = user;
    messages = new Ring<>(settings.sendDepth(), OutgoingMessage::new);
    responses = new Ring<>(settings.responseDepth(), OutgoingMessage::new);
    sequences = new MessageSequence[settings.queues().size()];
    for (int qn = 0; qn < sequences.length; qn++) {
      sequences[qn] = new MessageSequence(MessageSequence.FIRST);
    }
  }

  /** Full Operation has begun: messages may leave. */
  void start(MpaConnection mpa, int version) {
    this.mpa = mpa;
    this.version = version;
    wake();
  }

  /** Whether messages may still be posted. */
  boolean accepts() {
    return postsLeft > 0;
  }

  /** Appends a Tagged Message; false, and nothing happens, if it may not be posted now. */
  boolean postTagged(long id, int rsvdUlp, int stag, long to, long address, long length) {
    if (!mayPost()) {
      return false;
    }
    messages.add().tagged(id, rsvdUlp, stag, to, address, length);
    wake();
    return true;
  }

  /** Appends an Untagged Message; false, and nothing happens, if it may not be posted now. */
  boolean postUntagged(long id, int rsvdUlp, int rsvdUlpRest, int qn, long address, long length) {
    if (!mayPost()) {
      return false;
    }
    messages.add().untagged(id, rsvdUlp, rsvdUlpRest, qn, sequences[qn].take(), address, length);
    wake();
    return true;
  }

  /** The same for a message of few octets, which are copied. */
  boolean postInline(long id, int rsvdUlp, int rsvdUlpRest, int qn, byte[] octets, int length) {
    if (!mayPost()) {
      return false;
    }
    messages.add().inline(id, rsvdUlp, rsvdUlpRest, qn, sequences[qn].take(), octets, length);
    wake();
    return true;
  }

  private boolean mayPost() {
    if (postsLeft == 0 || messages.isFull()) {
      return false;
    }
    if (postsLeft < Integer.MAX_VALUE) {
      postsLeft--;
    }
    return true;
  }

  /** Appends a response; false, and nothing happens, if it may not be posted now. */
  boolean postResponse(
      int rsvdUlp, int stag, long to, TaggedBuffer source, long sourceTo, long length) {
    if (postsLeft < Integer.MAX_VALUE || responses.isFull()) {
      return false;
    }
    responses.add().response(rsvdUlp, stag, to, source, sourceTo, length);
    wake();
    return true;
  }

  /** There is something to send, or MPA takes something again. */
  void wake() {
    if (mpa != null && !inRound && (closing || !isEmpty())) {
      inRound = true;
      round.add(this);
    }
  }

  private boolean isEmpty() {
    return messages.isEmpty() && responses.isEmpty();
  }

  /** This stream's turn in the round: sends at most {@code share} segments; returns how many. */
  int takeTurn(int share) {
    int sent = 0;
    boolean taken = true;
    while (taken && sent < share && mpa.sendable() && chooseMessage()) {
      if (sourceIsGone(current.first())) {
        current.removeFirst();
        current = null;
        user.onSourceInvalidated();
      } else {
        taken = sendSegment();
        sent += taken ? 1 : 0;
      }
    }
    inRound = false;
    if (isEmpty()) {
      closeIfAsked();
    } else if (sent == share) {
      wake();
    }
    return sent;
  }

  /** Makes {@link #current} the ring to send from; false if nothing may be sent. */
  private boolean chooseMessage() {
    if (current == null) {
      boolean response = !responses.isEmpty();
      if (!(response && !responseWasLast) && mayStartMessage()) {
        current = messages;
      } else if (response) {
        current = responses;
      }
    }
    return current != null;
  }

  private boolean mayStartMessage() {
    return !messages.isEmpty() && user.mayStart(messages.first().id(), messages.first().rsvdUlp());
  }

  private boolean sourceIsGone(OutgoingMessage message) {
    TaggedBuffer source = message.source();
    return source != null && taggedBuffers.lookup(source.stag()) != source;
  }

  private boolean sendSegment() {
    OutgoingMessage message = current.first();
    int payload = message.nextPayload(mpa.mulpdu());
    if (!pass(message, payload)) {
      return false;
    }
    counters.segmentsSent++;
    counters.octetsSent += payload;
    if (message.sent(payload)) {
      ended(message);
    }
    return true;
  }

  private boolean pass(OutgoingMessage message, int payload) {
    long header = round.header();
    int headerLength = message.headerLength();
    message.writeHeader(header, version, payload);
    if (message.inMemory()) {
      return mpa.send(header, headerLength, message.nextAddress(), payload);
    }
    message.writeInline(header + headerLength);
    return mpa.send(header, headerLength + payload, 0, 0);
  }

  private void ended(OutgoingMessage message) {
    responseWasLast = current == responses;
    current.removeFirst();
    current = null;
    if (responseWasLast) {
      user.onResponseSent();
    } else {
      user.onSent(message.id(), message.rsvdUlp(), message.length());
    }
  }

  /** Takes no more posts; once everything posted has been sent, MPA closes our half. */
  void close() {
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

  /**
   * Gives back everything that has not been sent.
   *
   * @param postsLeft how many messages may still be posted, once this returns
   */
  void flush(int postsLeft) {
    this.postsLeft = 0;
    current = null;
    while (!responses.isEmpty()) {
      responses.removeFirst();
    }
    while (!messages.isEmpty()) {
      OutgoingMessage message = messages.removeFirst();
      user.onSendFlushed(message.id(), message.rsvdUlp());
    }
    this.postsLeft = postsLeft;
    // A close that waited for what is gone now waits no longer.
    wake();
  }
}
