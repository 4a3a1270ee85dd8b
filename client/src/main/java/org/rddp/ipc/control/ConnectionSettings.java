package org.rddp.ipc.control;

import java.util.ArrayList;
import java.util.List;

/**
 * Settings of a connection, or of the connections of a listener, chosen by the program.
 *
 * @param heldOctets octets kept of messages for which no receive is posted; 0: none
 * @param taggedNotices plain DDP: number of Tagged Message notices that may be posted; 0: none
 * @param queues plain DDP: number of receives that each queue holds, from Queue Number 0 on; empty:
 *     RDMAP
 * @param receiveQueue RDMAP: number of the shared receive queue; 0: receives are posted to the
 *     connection
 */
public record ConnectionSettings(
    int heldOctets, int taggedNotices, List<Integer> queues, int receiveQueue) {
  /** Largest number of queues. */
  public static final int MAX_QUEUES = 256;

  /** RDMAP; a message without a posted receive ends the connection. */
  public static final ConnectionSettings RDMAP = new ConnectionSettings(0, 0, List.of());

  /** Copies the list. */
  public ConnectionSettings {
    queues = List.copyOf(queues);
  }

  /** Settings without a shared receive queue. */
  public ConnectionSettings(int heldOctets, int taggedNotices, List<Integer> queues) {
    this(heldOctets, taggedNotices, queues, 0);
  }

  /** Whether the connection speaks plain DDP: the program is the ULP. */
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
