package org.rddp.ddp;

import java.util.List;
import org.rddp.ddp.receiving.QueueSettings;
import org.rddp.mpa.MpaSettings;

/**
 * How large a stream is.
 *
 * @param mpa for the MPA connection beneath
 * @param sendDepth messages that may wait to be sent, 1 to 2^24
 * @param responseDepth responses that may wait besides, 1 to 2^24
 * @param queues the queues of Queue Number 0, 1 and so on; the peer has as many
 * @param heldOctets the most octets of a segment, and of all behind it, headers included, that are
 *     kept for buffers yet to be posted; 0 to make a message without a buffer an error (RFC 5041
 *     section 7.1)
 */
public record DdpSettings(
    MpaSettings mpa, int sendDepth, int responseDepth, List<QueueSettings> queues, int heldOctets) {
  /** Takes a copy of the list. */
  public DdpSettings {
    queues = List.copyOf(queues);
    if (heldOctets < 0) {
      throw new IllegalArgumentException("held octets: " + heldOctets);
    }
  }

  /** A stream on which a message without a buffer is an error. */
  public DdpSettings(
      MpaSettings mpa, int sendDepth, int responseDepth, List<QueueSettings> queues) {
    this(mpa, sendDepth, responseDepth, queues, 0);
  }
}
