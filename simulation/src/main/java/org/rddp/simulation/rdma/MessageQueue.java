package org.rddp.simulation.rdma;

import java.util.ArrayDeque;
import java.util.Deque;
import org.rddp.simulation.memory.MemoryModel;

/**
 * The messages of one end and the receives of the other: the first message is for the first
 * receive, and so on (RFC 5041 section 5.3).
 */
final class MessageQueue {
  /** Messages before {@link #receives}, or those before them: one of the two is empty. */
  private final Deque<Message> messages = new ArrayDeque<>();

  private final Deque<RdmapReceive> receives = new ArrayDeque<>();
  private MemoryModel sink;
  private long posted;
  private long received;

  /** Messages are placed there. */
  void sink(MemoryModel memory) {
    sink = memory;
  }

  /** A message has been posted. */
  void add(Message message) {
    posted++;
    messages.add(message);
    match();
  }

  /** A receive has been posted. */
  void add(RdmapReceive receive) {
    receives.add(receive);
    match();
  }

  private void match() {
    while (!messages.isEmpty() && !receives.isEmpty()) {
      receives.remove().expects(messages.remove(), sink);
    }
  }

  /** The receive that the next message will be for, or null. */
  RdmapReceive nextReceive() {
    return receives.peek();
  }

  /** The first message that no receive has been posted for, or null. */
  Message waiting() {
    return messages.peek();
  }

  /** How many messages no receive has been posted for. */
  int lacking() {
    return messages.size();
  }

  /** How many receives wait for messages that have not been posted. */
  int spare() {
    return receives.size();
  }

  /** A message has been received. */
  void received() {
    received++;
  }

  /** Whether every message has been received. */
  boolean complete() {
    return received == posted;
  }

  @Override
  public String toString() {
    return received + " of " + posted + " messages received";
  }
}
