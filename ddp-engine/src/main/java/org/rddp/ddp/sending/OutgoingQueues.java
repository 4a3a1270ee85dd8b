package org.rddp.ddp.sending;

import java.util.List;
import java.util.function.LongPredicate;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.EntryRing;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;

/**
 * The messages of a stream that wait to be sent, in the order in which they were posted. Responses
 * have a queue of their own: while both queues have entries, messages and responses alternate.
 */
final class OutgoingQueues {
  private final SendHandler user;
  private final EntryRing<OutgoingMessage> messages;
  private final EntryRing<OutgoingMessage> responses;

  /** The ring whose first entry is being sent; null between messages. */
  private EntryRing<OutgoingMessage> current;

  private boolean responseWasLast;

  /** The message that goes before everything posted, until it has been sent; usually null. */
  private OutgoingMessage initialMessage;

  OutgoingQueues(SendHandler user, int messageDepth, int responseDepth, QueueMemory memory) {
    this.user = user;
    messages = new EntryRing<>(messageDepth, OutgoingMessage::new, OutgoingMessage.OCTETS, memory);
    responses = new EntryRing<>(responseDepth, OutgoingMessage::new);
  }

  boolean isEmpty() {
    return messages.isEmpty() && responses.isEmpty() && initialMessage == null;
  }

  /** Touches the cache lines of the next message: {@link DdpSender#prefetchMessage}. */
  int prefetch() {
    return messages.prefetch();
  }

  /** Whether messages wait behind the one being sent. */
  boolean hasMore() {
    return messages.size() + responses.size() > 1;
  }

  boolean hasRoomForMessage() {
    return !messages.isFull();
  }

  boolean hasRoomForResponse() {
    return !responses.isFull();
  }

  /** Appends a message, which the caller fills in; there must be room. */
  OutgoingMessage addMessage() {
    return messages.add();
  }

  /** Appends a response, which the caller fills in; there must be room. */
  OutgoingMessage addResponse() {
    return responses.add();
  }

  /** Puts a message before all others, which the caller fills in; its end is not reported. */
  OutgoingMessage addInitialMessage() {
    initialMessage = new OutgoingMessage();
    return initialMessage;
  }

  /** Revokes the memory of posted messages, by their tokens. */
  void revoke(LongPredicate tokens) {
    for (int i = 0; i < messages.size(); i++) {
      if (tokens.test(messages.get(i).token())) {
        messages.get(i).revoke();
      }
    }
  }

  /** Adapts Message Sequence Numbers, because an Untagged Message goes before those posted. */
  void renumber(int qn) {
    for (int i = 0; i < messages.size(); i++) {
      messages.get(i).renumber(qn);
    }
  }

  /** The message being sent, or to be sent next; null if none may be sent now. */
  OutgoingMessage current() {
    if (initialMessage != null) {
      return initialMessage;
    }
    if (current == null) {
      runLocalOperations();
      boolean response = !responses.isEmpty();
      if (!(response && !responseWasLast) && mayStartMessage()) { // RDMAP-5.5-04
        current = messages;
      } else if (response) {
        current = responses;
      }
    }
    return current == null ? null : current.first();
  }

  /** Whether a message may be sent now. */
  boolean maySend() {
    return initialMessage != null || current != null || !responses.isEmpty() || mayStartMessage();
  }

  private boolean mayStartMessage() {
    return !messages.isEmpty() && !messages.first().isLocalOperation() && mayStartFirst();
  }

  private boolean mayStartFirst() {
    OutgoingMessage first = messages.first();
    return user.mayStart(first.token(), first.rsvdUlp());
  }

  /** Makes the user run the local operations that come next. */
  void runLocalOperations() {
    while (!messages.isEmpty() && messages.first().isLocalOperation() && mayStartFirst()) {
      user.onLocalOperation(messages.removeFirst().token());
    }
  }

  /** Whether the current message is a posted one. */
  boolean currentIsPosted() {
    return initialMessage == null && current == messages;
  }

  /** The posted message of which a part may have been sent; null if there is none. */
  OutgoingMessage postedCurrent() {
    return currentIsPosted() ? messages.first() : null;
  }

  /** Drops the current message, which cannot be sent in full. */
  void dropCurrent() {
    current.removeFirst();
    current = null;
  }

  /** Removes the current message, which has been sent in full, and tells the user. */
  void completeCurrent() {
    if (initialMessage != null) {
      initialMessage = null;
      return;
    }
    responseWasLast = current == responses;
    OutgoingMessage ended = current.removeFirst(); // DDP-5.4-01
    current = null;
    if (responseWasLast) {
      user.onResponseSent(ended.rsvdUlp());
    } else {
      user.onSent(ended.token(), ended.rsvdUlp(), ended.length());
    }
  }

  /** Drops everything and tells the user. */
  void flush() {
    initialMessage = null;
    current = null;
    while (!responses.isEmpty()) {
      responses.removeFirst();
    }
    while (!messages.isEmpty()) {
      OutgoingMessage message = messages.removeFirst();
      user.onSendFlushed(message.token(), message.rsvdUlp());
    }
  }

  /** Transfers the messages. */
  void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(OutgoingQueues.class);
    messages.transfer(snapshot, "messages", each -> each.transfer(snapshot, references));
    responses.transfer(snapshot, "responses", each -> each.transfer(snapshot, references));
    current = new References<>(List.of(messages, responses)).transfer(snapshot, "current", current);
    if (current != null && current.isEmpty()) {
      throw snapshot.wrong("the message that is being sent is missing");
    }
    responseWasLast = snapshot.flag("responseWasLast", responseWasLast);
    if (snapshot.flag("initialMessage", initialMessage != null)) {
      initialMessage = initialMessage == null ? new OutgoingMessage() : initialMessage;
      initialMessage.transfer(snapshot, references);
    }
    snapshot.end();
  }
}
