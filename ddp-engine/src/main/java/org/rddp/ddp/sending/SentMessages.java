package org.rddp.ddp.sending;

import java.util.function.Predicate;
import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.snapshot.Snapshot;

/**
 * The posted messages of a stream that have been passed to TCP and are not acknowledged yet, in the
 * order in which they were sent. Its user's requests bound their number.
 */
final class SentMessages {
  private static final int MOST = 1 << 24;

  private final SendHandler user;
  private final EntryRing<SentMessage> messages;

  SentMessages(SendHandler user, QueueMemory memory) {
    this.user = user;
    messages = new EntryRing<>(MOST, SentMessage::new, SentMessage.OCTETS, memory);
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }

  /**
   * Appends a message.
   *
   * @param end stream position behind its last octet
   */
  void add(OutgoingMessage message, long end) {
    messages.add().set(message, end);
  }

  /** The token of the first message that the peer names so; {@link DdpSender#NONE} if none is. */
  long find(Predicate<MessageName> named) {
    for (int i = 0; i < messages.size(); i++) {
      if (named.test(messages.get(i))) {
        return messages.get(i).token;
      }
    }
    return DdpSender.NONE;
  }

  /** Every message before that with a token has been acknowledged: tells the user. */
  void acknowledgedBefore(long token) {
    while (!messages.isEmpty() && messages.first().token < token) {
      tellAcknowledged();
    }
  }

  /** Every octet before a stream position has been acknowledged: tells the user. */
  void acknowledged(long position) {
    while (!messages.isEmpty() && messages.first().end <= position) {
      tellAcknowledged();
    }
  }

  private void tellAcknowledged() {
    SentMessage message = messages.removeFirst();
    user.onAcknowledged(message.token, message.rsvdUlp, message.octets);
  }

  /** No acknowledgment is waited for any more: tells the user. */
  void flush() {
    while (!messages.isEmpty()) {
      SentMessage message = messages.removeFirst();
      user.onSendFlushed(message.token, message.rsvdUlp);
    }
  }

  /** Reused. */
  private static final class SentMessage extends MessageName {
    /** Octets of an object on the heap. */
    private static final int OCTETS = 40 + MessageName.OCTETS;

    private long token;
    private int rsvdUlp;
    private long octets;
    private long end;

    private void set(OutgoingMessage message, long position) {
      message.name(this);
      token = message.token();
      rsvdUlp = message.rsvdUlp();
      octets = message.length();
      end = position;
    }

    private void transfer(Snapshot snapshot) {
      snapshot.begin(SentMessage.class);
      transferName(snapshot);
      token = snapshot.number("token", token);
      rsvdUlp = snapshot.number("rsvdUlp", rsvdUlp);
      octets = snapshot.number("octets", octets);
      end = snapshot.number("end", end);
      snapshot.end();
    }
  }

  /** Transfers the messages. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SentMessages.class);
    messages.transfer(snapshot, "messages", message -> message.transfer(snapshot));
    snapshot.end();
  }
}
