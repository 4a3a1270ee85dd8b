package org.rddp.ddp;

import java.util.List;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.ddp.receiving.HeldShare;
import org.rddp.ddp.receiving.QueueSettings;

/**
 * Settings of a DDP Stream.
 *
 * @param sendDepth the most messages queued for sending, 1 to 2^24
 * @param responseDepth the most responses queued for sending, 1 to 2^24
 * @param queues the queues with Queue Number 0, 1 and so on; the peer has the same number
 * @param heldOctets the most octets of segments, headers included, held until a buffer is posted; 0
 *     makes a message without a buffer an error (RFC 5041 section 7.1)
 * @param heldShare the owner's share of the memory for them; null for all of it
 * @param queueMemory the bound that counts the entries of the stream's queues; null for none
 * @param acknowledged whether the user is told when the peer's TCP has acknowledged a message
 */
public record DdpSettings(
    int sendDepth,
    int responseDepth,
    List<QueueSettings> queues,
    int heldOctets,
    HeldShare heldShare,
    QueueMemory queueMemory,
    boolean acknowledged) {
  /** Copies the list. */
  public DdpSettings {
    queues = List.copyOf(queues);
    if (heldOctets < 0) {
      throw new IllegalArgumentException("held octets: " + heldOctets);
    }
  }

  /** Creates settings with which a message without a buffer is an error. */
  public DdpSettings(int sendDepth, int responseDepth, List<QueueSettings> queues) {
    this(sendDepth, responseDepth, queues, 0, null, null, false);
  }
}
