package org.rddp.client;

import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.ipc.ring.PolledCompletion;

/**
 * The completion of a work request ({@code ibv_wc}), from {@link Rddp#poll} or {@link
 * CompletionQueue#poll}. Valid only during the call of the handler. For one thread.
 */
public final class Completion {
  private final PolledCompletion entry = new PolledCompletion();
  private Connection connection;
  private long place;

  /** Creates an empty copy. */
  Completion() {}

  /** The copy of the ring's entry. */
  PolledCompletion entry() {
    return entry;
  }

  void connection(Connection known) {
    connection = known;
  }

  /** How many requests were posted to its queue up to this one. */
  long place() {
    return place;
  }

  void place(long number) {
    place = number;
  }

  void copyFrom(Completion other) {
    entry.copyFrom(other.entry);
    connection = other.connection;
    place = other.place;
  }

  /** The program's own number for the request. */
  public long id() {
    return entry.id();
  }

  /**
   * The connection whose request has ended. Null only for a receive of a {@link SharedReceiveQueue}
   * that no connection had taken when the queue was closed.
   */
  public Connection connection() {
    return connection;
  }

  /** {@link Connection#id} of the connection, 0 if there is none. */
  public int connectionId() {
    return entry.connection();
  }

  /** The opcode of the request, one of {@link Opcode}. */
  public int opcode() {
    return entry.opcode();
  }

  /** How it ended. */
  public CompletionStatus status() {
    return entry.status();
  }

  /** Whether it succeeded. */
  public boolean isSuccess() {
    return entry.isSuccess();
  }

  /** Octets of the message that was sent, written or received; 0 on failure. */
  public long octets() {
    return entry.octets();
  }

  /**
   * Requests of the same queue of that connection that this completion ends: itself and the
   * unsignalled ones before it.
   */
  public int retired() {
    return entry.retired();
  }

  /** The error's number in the layer that it comes from, 0 when there is none. */
  public int detail() {
    return entry.detail();
  }

  /**
   * Whether immediate data has come to a receive, {@link #immediate()}: alone or behind a Write,
   * which leaves its memory as it was, or {@linkplain #isSendWithImmediate() with a Send}.
   */
  public boolean hasImmediate() {
    return entry.hasImmediate();
  }

  /** Whether the immediate data came with a Send, whose message the receive holds. */
  public boolean isSendWithImmediate() {
    return entry.isSendWithImmediate();
  }

  /**
   * The immediate data; means nothing without {@link #hasImmediate()}. That of a Send has 32 bits,
   * unsigned.
   */
  public long immediate() {
    return entry.immediate();
  }

  /** Whether the peer wanted the program to be woken for the message. */
  public boolean isSolicited() {
    return entry.isSolicited();
  }

  /** The STag of this program's that the peer has invalidated with its message, or 0. */
  public int invalidatedStag() {
    return entry.invalidatedStag();
  }

  /** The number of the shared receive queue that a receive was posted to, or 0. */
  public int receiveQueue() {
    return entry.receiveQueue();
  }

  /** The number of the window that was to be bound, or 0. */
  public int window() {
    return entry.window();
  }

  /** The STag that the window's next bind gives it; 0 if there is no window. */
  public int windowStag() {
    return entry.windowStag();
  }

  /**
   * Plain DDP: what the message's header carried for its ULP (RFC 5041 sections 4.2 and 4.3), 40
   * bits of an {@link Opcode#RECEIVE_UNTAGGED} with the first octet highest, 8 of a {@link
   * Opcode#TAGGED_NOTICE}; else 0.
   */
  public long rsvdUlp() {
    return entry.rsvdUlp();
  }

  /** Queue Number of an {@link Opcode#RECEIVE_UNTAGGED}. */
  public int qn() {
    return entry.qn();
  }

  /** Message Sequence Number of an {@link Opcode#RECEIVE_UNTAGGED}, unsigned. */
  public int msn() {
    return entry.msn();
  }

  /** STag of this program that the peer has named in a {@link Opcode#TAGGED_NOTICE}. */
  public int stag() {
    return entry.stag();
  }

  /**
   * Tagged Offset of the last segment of a {@link Opcode#TAGGED_NOTICE}'s message, whose octets are
   * {@link #octets()}. DDP does not know the length of the whole message (RFC 5041 section 5.2).
   * Undefined if there are no octets.
   */
  public long to() {
    return entry.to();
  }

  @Override
  public String toString() {
    return entry.toString();
  }
}
