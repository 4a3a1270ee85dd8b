package org.rddp.ddp.sending;

import org.rddp.ddp.memory.EntryRing;

/**
 * The messages of a stream that wait to be sent, in the order in which they were posted, and whose
 * turn it is. Responses wait in a line of their own: they go out between the messages, one after
 * each as long as there are both.
 */
final class OutgoingQueues {
  private final SendHandler user;
  private final EntryRing<OutgoingMessage> messages;
  private final EntryRing<OutgoingMessage> responses;

  /** The ring whose first entry is being sent; null between messages. */
  private EntryRing<OutgoingMessage> current;

  private boolean responseWasLast;

  /** What goes before everything posted, until it has been sent; null as a rule. */
  private OutgoingMessage initialMessage;

  OutgoingQueues(SendHandler user, int messageDepth, int responseDepth) {
    this.user = user;
    messages = new EntryRing<>(messageDepth, OutgoingMessage::new);
    responses = new EntryRing<>(responseDepth, OutgoingMessage::new);
  }

  boolean isEmpty() {
    return messages.isEmpty() && responses.isEmpty() && initialMessage == null;
  }

  /** Whether anything waits but the one that is being sent. */
  boolean hasMore() {
    return messages.size() + responses.size() > 1;
  }

  boolean hasRoomForMessage() {
    return !messages.isFull();
  }

  boolean hasRoomForResponse() {
    return !responses.isFull();
  }

  /** Appends a message, to be filled in; there is room. */
  OutgoingMessage addMessage() {
    return messages.add();
  }

  /** The message that has been appended last; there is one. */
  OutgoingMessage lastMessage() {
    return messages.get(messages.size() - 1);
  }

  /** Appends a response, to be filled in; there is room. */
  OutgoingMessage addResponse() {
    return responses.add();
  }

  /** Puts a message before all others, to be filled in; the user hears nothing of it. */
  OutgoingMessage addInitialMessage() {
    initialMessage = new OutgoingMessage();
    return initialMessage;
  }

  /** An untagged message to that queue goes before those that have been posted. */
  void renumber(int qn) {
    for (int i = 0; i < messages.size(); i++) {
      messages.get(i).renumber(qn);
    }
  }

  /** What is being sent, or is to be sent now; null if nothing may be. */
  OutgoingMessage current() {
    if (initialMessage != null) {
      return initialMessage;
    }
    if (current == null) {
      runLocalOperations();
      boolean response = !responses.isEmpty();
      if (!(response && !responseWasLast) && mayStartMessage()) {
        current = messages;
      } else if (response) {
        current = responses;
      }
    }
    return current == null ? null : current.first();
  }

  /** Whether something of what waits may be sent, or go on being sent. */
  boolean maySend() {
    return initialMessage != null || current != null || !responses.isEmpty() || mayStartMessage();
  }

  private boolean mayStartMessage() {
    return !messages.isEmpty() && !messages.first().isLocalOperation() && mayStartFirst();
  }

  private boolean mayStartFirst() {
    OutgoingMessage first = messages.first();
    return user.mayStart(first.id(), first.rsvdUlp());
  }

  /** Has the user do what it does itself, as far as that comes next. */
  void runLocalOperations() {
    while (!messages.isEmpty() && messages.first().isLocalOperation() && mayStartFirst()) {
      user.onLocalOperation(messages.removeFirst().id());
    }
  }

  /** The current one will not be sent, or not in full. */
  void dropCurrent() {
    current.removeFirst();
    current = null;
  }

  /** All of the current one has been sent: tells the user. */
  void completeCurrent() {
    if (initialMessage != null) {
      initialMessage = null;
      return;
    }
    responseWasLast = current == responses;
    OutgoingMessage ended = current.removeFirst();
    current = null;
    if (responseWasLast) {
      user.onResponseSent();
    } else {
      user.onSent(ended.id(), ended.rsvdUlp(), ended.length());
    }
  }

  /** Gives everything back. */
  void flush() {
    initialMessage = null;
    current = null;
    while (!responses.isEmpty()) {
      responses.removeFirst();
    }
    while (!messages.isEmpty()) {
      OutgoingMessage message = messages.removeFirst();
      user.onSendFlushed(message.id(), message.rsvdUlp());
    }
  }
}
