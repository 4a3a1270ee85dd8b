package org.rddp.ddp;

import org.rddp.mpa.MpaConnection;

/**
 * Sends messages in the order in which they were posted, cut into segments of at most MULPDU octets
 * (RFC 5041 section 5.2). It cuts a segment when MPA takes it and not before: so each is cut to the
 * MULPDU of its moment, and nothing waits below.
 */
final class DdpSender {
  /** The next in the {@link SendRound}; that class's own. */
  DdpSender next;

  private final SendRound round;
  private final DdpCounters counters;
  private final UlpHandler user;
  private final Ring<OutgoingMessage> messages;
  private final MessageSequence[] sequences;
  private MpaConnection mpa;
  private int version;
  private boolean inRound;
  private int postsLeft = Integer.MAX_VALUE;
  private boolean closing;

  DdpSender(DdpEngine engine, UlpHandler user, int depth, int queues) {
    this.round = engine.sendRound();
    this.counters = engine.counters();
    this.user = user;
    messages = new Ring<>(depth, OutgoingMessage::new);
    sequences = new MessageSequence[queues];
    for (int qn = 0; qn < queues; qn++) {
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

  private boolean mayPost() {
    if (postsLeft == 0 || messages.isFull()) {
      return false;
    }
    if (postsLeft < Integer.MAX_VALUE) {
      postsLeft--;
    }
    return true;
  }

  /** There is something to send, or MPA takes something again. */
  void wake() {
    if (mpa != null && !inRound && (closing || !messages.isEmpty())) {
      inRound = true;
      round.add(this);
    }
  }

  /** This stream's turn in the round: sends at most {@code share} segments; returns how many. */
  int takeTurn(int share) {
    int sent = 0;
    while (sent < share && !messages.isEmpty() && mpa.sendable() && sendSegment()) {
      sent++;
    }
    inRound = false;
    if (messages.isEmpty()) {
      closeIfAsked();
    } else if (sent == share) {
      wake();
    }
    return sent;
  }

  private boolean sendSegment() {
    OutgoingMessage message = messages.first();
    int payload = message.nextPayload(mpa.mulpdu());
    long header = round.header();
    message.writeHeader(header, version, payload);
    if (!mpa.send(header, message.headerLength(), message.nextAddress(), payload)) {
      return false;
    }
    counters.segmentsSent++;
    counters.octetsSent += payload;
    if (message.sent(payload)) {
      messages.removeFirst();
      user.onSent(message.id(), message.rsvdUlp(), message.length());
    }
    return true;
  }

  /** Takes no more posts; once everything posted has been sent, MPA closes our half. */
  void close() {
    postsLeft = 0;
    closing = true;
    wake();
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
   * @param postsLeft how many messages may still be posted
   */
  void flush(int postsLeft) {
    this.postsLeft = postsLeft;
    while (!messages.isEmpty()) {
      OutgoingMessage message = messages.removeFirst();
      user.onSendFlushed(message.id(), message.rsvdUlp());
    }
  }
}
