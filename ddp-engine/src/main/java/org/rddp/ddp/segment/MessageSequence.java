package org.rddp.ddp.segment;

import org.rddp.snapshot.Snapshot;

/**
 * The Message Sequence Numbers of messages sent to one of the peer's queues: 1, 2 and so on, modulo
 * 2^32 (RFC 5041 section 4.3).
 */
public final class MessageSequence {
  /** The first Message Sequence Number of every queue. */
  public static final int FIRST = 1; // DDP-4.3-07: "The initial value for MSN MUST be one"

  private int next;

  /** Creates a sequence that begins with {@code next}. */
  public MessageSequence(int next) {
    this.next = next;
  }

  /** Returns the next message's number. */
  public int take() {
    return next++; // DDP-4.3-08; DDP-4.3-06: "MUST be increased by one (modulo 2^32)"
  }

  /** Transfers the next message's number. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(MessageSequence.class);
    next = snapshot.number("next", next);
    snapshot.end();
  }
}
