package org.rddp.ipc.control;

import java.util.ArrayList;
import java.util.List;

/**
 * What a program has chosen for a connection, or for those of a listener.
 *
 * @param heldOctets how much is kept of messages that find no receive; 0 for none
 * @param taggedNotices plain DDP: notices of Tagged Messages that may be posted; 0 if the program
 *     does not want to hear of them
 * @param queues plain DDP: how many receives each queue holds, of Queue Number 0 and so on; empty
 *     for a connection that speaks RDMAP
 * @param receiveQueue RDMAP: the number of the shared receive queue that the connection takes its
 *     receives from; 0 if they are posted to it
 */
public record ConnectionSettings(
    int heldOctets, int taggedNotices, List<Integer> queues, int receiveQueue) {
  /** The most queues. */
  public static final int MAX_QUEUES = 256;

  /** RDMAP; a message without a receive ends the connection. */
  public static final ConnectionSettings RDMAP = new ConnectionSettings(0, 0, List.of());

  /** Takes a copy of the list. */
  public ConnectionSettings {
    queues = List.copyOf(queues);
  }

  /** One that takes its receives from no shared queue. */
  public ConnectionSettings(int heldOctets, int taggedNotices, List<Integer> queues) {
    this(heldOctets, taggedNotices, queues, 0);
  }

  /** Whether the connection has no ULP but the program. */
  public boolean isPlainDdp() {
    return !queues.isEmpty();
  }

  void write(MessageBuffer buffer) {
    buffer.putInt(heldOctets);
    buffer.putInt(taggedNotices);
    buffer.putShort(queues.size());
    queues.forEach(buffer::putInt);
    buffer.putInt(receiveQueue);
  }

  static ConnectionSettings read(MessageBuffer buffer) throws ControlProtocolException {
    int heldOctets = buffer.getInt();
    int taggedNotices = buffer.getInt();
    int count = buffer.getShort();
    if (count > MAX_QUEUES) {
      throw new ControlProtocolException(count + " queues, at most " + MAX_QUEUES);
    }
    List<Integer> queues = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      queues.add(buffer.getInt());
    }
    return new ConnectionSettings(heldOctets, taggedNotices, queues, buffer.getInt());
  }
}
